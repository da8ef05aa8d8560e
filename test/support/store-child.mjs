// A process that holds a data folder, for tests that kill it. Runs compiled code from dist/.
//   store-child.mjs hold <folder> [url]   takes the lock, says how it went in one JSON line, stays until it is killed
//   store-child.mjs write <folder>        appends to several rooms without end, one line "<room> <revision>" per Ack
import { writeSync } from 'node:fs';
import { lockFolder } from '../../dist/server/store/folder-lock.js';
import { openSqliteStore } from '../../dist/server/store/sqlite.js';

const [, , mode, folder, url] = process.argv;
const say = (line) => writeSync(1, `${line}\n`);

const lock = await lockFolder(folder);
if (!lock.ok) {
  say(JSON.stringify(lock.error));
  process.exit(1);
}
if (url) lock.value.announce(url);

if (mode === 'hold') {
  say(JSON.stringify({ code: 'held', pid: process.pid }));
  setInterval(() => {}, 60_000);
} else {
  const opened = await openSqliteStore({ folder });
  if (!opened.ok) throw new Error(opened.error.message);
  await Promise.all(['a', 'b', 'c', 'd'].map((room) => write(opened.value, room)));
}

async function write(store, room) {
  const loaded = await store.load(room);
  if (!loaded.ok) throw new Error(loaded.error.message);
  const epoch = 'epoch-1';
  for (let revision = loaded.value?.revision ?? 0; ; ) {
    const records = [];
    for (let more = 1 + (revision % 11); more > 0; more -= 1) records.push(record(room, revision + records.length + 1));
    const summary = { taskCount: 0, openCount: 0, updatedAt: '' };
    const outcome = await store.append({ room, epoch, expectedRevision: revision, records, summary });
    if (outcome.type !== 'appended') throw new Error(JSON.stringify(outcome));
    revision += records.length;
    say(`${room} ${revision}`);
    if (revision % 5 === 0)
      void store.saveSnapshot({
        room,
        epoch,
        revision,
        updatedAt: '',
        policy: {},
        document: {},
        groups: [],
        tasks: [],
      });
  }
}

function record(room, revision) {
  const patch = { document: { content: `${room} ${revision} `.repeat(40) } };
  const change = { revision, at: '', actor: 'ada', mutationId: `m-${revision}`, action: 'document.write', patch };
  return { change, changeText: JSON.stringify(change), undo: {}, undoText: '{}', nags: [] };
}
