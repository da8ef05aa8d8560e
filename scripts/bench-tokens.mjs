/**
 * `npm run bench:tokens`: what each dialect costs a model, in tokens of o200k: its definitions, and one changed status in a
 * plan of 50 tasks, with the list again where the tool knows no other way. Also planroom's own replies for 500 tasks.
 * Runs the built server's code on a store in memory; nothing of it depends on the machine.
 */
import { existsSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { build, entryOfProject } from './bench/processes.mjs';
import { changeOf } from './bench/token-changes.mjs';

if (!existsSync(entryOfProject)) await build();
const { dialects } = await import('../dist/shared/dialects/registry.js');
const { runTool, toolResult } = await import('../dist/server/operations/tools.js');
const { RoomRegistry } = await import('../dist/server/room/registry.js');
const { openMemoryStore } = await import('../dist/server/store/memory.js');
const { TickScheduler } = await import('../dist/server/tick.js');

const tokens = (value) => encode(typeof value === 'string' ? value : JSON.stringify(value)).length;
const verbs = [
  'Write',
  'Test',
  'Review',
  'Document',
  'Benchmark',
  'Refactor',
  'Deploy',
  'Measure',
  'Remove',
  'Translate',
];
const things = [
  'the parser of the query language',
  'the retry logic of the upload client',
  'the migration of the accounts table',
];
const textOf = (index) => `${verbs[index % 10]} ${things[index % 3]} (part ${index + 1})`;

/** A room with as many tasks, and a way to call tools in it. */
async function openRoom(count) {
  let ids = 0;
  const newUid = () => `uid-${String(++ids).padStart(8, '0')}`;
  const { atEndOfTick } = new TickScheduler();
  const onFault = (error) => {
    throw error;
  };
  const rooms = new RoomRegistry({
    store: openMemoryStore(),
    now: () => '2026-01-01T00:00:00.000Z',
    newUid,
    atEndOfTick,
    onFault,
  });
  const call = async (dialect, tool, args, actor = 'ann') => {
    const context = { rooms, actor, newId: newUid, files: undefined };
    const reply = await runTool({ room: 'main', dialect, tool, arguments: args }, context);
    if (!reply.ok || reply.value.isError) throw new Error(`${dialect} ${tool}: ${JSON.stringify(reply)}`);
    return toolResult(reply.value);
  };
  const adds = Array.from({ length: count }, (_, index) => ({
    op: 'add',
    text: textOf(index),
    group: `Part ${index % 4}`,
  }));
  await call('planroom', 'plan_update', { ops: adds });
  await call('planroom', 'plan_write_document', { content: '# Plan\n\nWhat we are at.\n' });
  const opened = await rooms.open('main');
  return { call, plan: opened.value.plan };
}

/** What a client may show the model of a reply: the text, and the structured part where it says more. */
const replyTokens = ({ content, structuredContent }) => {
  const text = content.map((each) => each.text).join('\n');
  const repeats = structuredContent !== undefined && text === JSON.stringify(structuredContent);
  return tokens(text) + (structuredContent === undefined || repeats ? 0 : tokens(structuredContent));
};

async function measure(dialect) {
  const definitions = dialect.tools.map(({ name, description, input }) => ({ name, description, inputSchema: input }));
  const outputs = dialect.tools.flatMap(({ output }) => (output ? [output] : []));
  const row = {
    dialect: dialect.name,
    tools: dialect.tools.length,
    definitions: tokens(definitions),
    'output schemas': tokens(outputs),
    instructions: tokens(dialect.instructions),
  };
  const rows = [];
  for (const { label, tool, prepare, args, count = 50 } of changeOf(dialect.name)) {
    const { call, plan } = await openRoom(count);
    if (prepare) await call(dialect.name, tool, prepare(dialect.view(plan)));
    const sent = args(dialect.view(plan));
    const reply = await call(dialect.name, tool, sent);
    const [out, back] = [tokens(sent), replyTokens(reply)];
    rows.push({ ...row, 'one status by': label ?? tool, sent: out, answered: back, 'both ways': out + back });
  }
  return rows.length > 0 ? rows : [row];
}

const table = (rows) => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = (value) => String(value ?? '-');
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => text(row[column]).length)));
  const line = (cells) => `| ${cells.map((cell, index) => text(cell).padEnd(widths[index])).join(' | ')} |`;
  return [
    line(columns),
    `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`,
    ...rows.map((row) => line(columns.map((column) => row[column]))),
  ].join('\n');
};

const rows = [];
for (const dialect of dialects) rows.push(...(await measure(dialect)));
console.log(`${table(rows)}\n`);

const { call } = await openRoom(500);
const replies = [];
for (const view of ['open', 'ready', 'all', 'changes', 'document']) {
  const reply = await call('planroom', 'plan_read', { view, ...(view === 'changes' && { since: 0 }) });
  const bytes = Buffer.byteLength(JSON.stringify(reply));
  replies.push({ 'reply in a plan of 500 tasks': `plan_read ${view}`, tokens: replyTokens(reply), bytes });
}
console.log(table(replies));

const own = rows.find((row) => row.dialect === 'planroom');
const wanted = [
  [`planroom has at most 8 tools`, own.tools <= 8, own.tools],
  [
    `planroom's definitions take at most 1,500 tokens`,
    own.definitions + own['output schemas'] <= 1500,
    own.definitions + own['output schemas'],
  ],
  [
    `a list of 500 tasks takes at most 2,000 tokens`,
    replies.every((each) => each.tokens <= 2000),
    Math.max(...replies.map((each) => each.tokens)),
  ],
  [
    `no reply is over 8 KB`,
    replies.every((each) => each.bytes <= 8192),
    Math.max(...replies.map((each) => each.bytes)),
  ],
];
console.log('');
for (const [what, reached, figure] of wanted)
  console.log(`${reached ? 'reached' : 'NOT REACHED'}: ${what} (${figure})`);
process.exitCode = wanted.every(([, reached]) => reached) ? 0 : 1;
