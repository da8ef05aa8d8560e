import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../shared/plan/limits.ts';
import { type ParsedPlan, parseMarkdown, readPlan, toMarkdown } from '../../shared/plan/markdown.ts';
import { exportHeader } from '../../shared/plan/markdown-format.ts';
import { defaultPolicy, emptyDocument, type Snapshot, taskId } from '../../shared/plan/model.ts';
import { trim } from '../../shared/plan/text.ts';
import { nastyText, snapshots } from '../support/nasty-snapshot.ts';
import { PlanHarness } from '../support/plan-harness.ts';

const items = (parsed: ParsedPlan): string[][] =>
  parsed.groups.map((group) => [
    group.title,
    ...group.tasks.map((task) => `${task.status}|${task.description}|${task.dependsOn.join(';')}`),
  ]);

const read = (...lines: readonly string[]): string[][] => items(parseMarkdown(lines.join('\n')));

describe('lines that mean nothing', () => {
  test('are counted from 1; blank ones are not among them', () => {
    const text = '# t\n\n- [ ] too early\n## G\n* [ ] a\n- [>] b\n- [x] ok\n  - depends: task-1\n  - id: task-7\n- ';
    expect(readPlan(text).skipped).toEqual([1, 3, 5, 6, 9, 10]);
    expect(readPlan(`${exportHeader}\n# t\n- [>] b\n## G\n- [ ] a\n  - id: task-7\nwords`).skipped).toEqual([3, 7]);
  });

  test('an export has none', () => {
    fc.assert(fc.property(snapshots, (snapshot) => readPlan(toMarkdown(snapshot)).skipped.length === 0));
  });
});

describe('the grammar of the seed loader', () => {
  test('[S0.4] groups, open and done items and a depends line are read, whatever the indentation', () => {
    const text = ['# t', '## DB', '- [ ] one', '\t - [ ] two', '  - depends: task-1', '## API', '- [x] ok', '- [X] OK'];
    const expected = [
      ['DB', 'pending|one|', 'pending|two|task-1'],
      ['API', 'completed|ok|', 'completed|OK|'],
    ];
    expect(read(...text)).toEqual(expected);
    expect(items(parseMarkdown(text.join('\r\n')))).toEqual(expected);
  });

  test('[S0.4] everything before the first heading is dropped', () => {
    expect(read('- [ ] lost', '  - depends: x', 'prose', '## A', '- [ ] kept')).toEqual([['A', 'pending|kept|']]);
    expect(read('- [ ] lost', '# A', '### B')).toEqual([]);
    expect(read('')).toEqual([]);
  });

  test('[S0.4] only «## » is a heading; extra blanks of a title stay; empty and repeated groups are kept', () => {
    expect(read('## A', '##X', '##', '## ', '### Y', '##   wide ', '## A')).toEqual([['A'], ['  wide'], ['A']]);
  });

  test('[S0.4] only an exact box followed by text is an item', () => {
    const no = ['- [*] a', '- [-] b', '* [ ] c', '1. [ ] d', '- [ ]', '- [ ] ', '- [x]', '-[ ] e', '- [] f', '- [ ]g'];
    expect(read('## A', ...no, '- [ ]  two blanks')).toEqual([['A', 'pending| two blanks|']]);
  });

  test('[S0.4] there is no awareness of code fences or nesting', () => {
    expect(read('## A', '```', '- [ ] fenced', '```', '        - [x] deep')).toEqual([
      ['A', 'pending|fenced|', 'completed|deep|'],
    ]);
  });

  test('[S0.4] a depends line belongs to the last item of its group; a later one wins, an empty one clears', () => {
    expect(read('## A', '- [ ] a', '- depends: x', '', 'prose', '- depends: , y ,, z,y,')).toEqual([
      ['A', 'pending|a|y;z;y'],
    ]);
    expect(read('## A', '- [ ] a', '- depends: x', '- depends:')).toEqual([['A', 'pending|a|']]);
    expect(read('## A', '- [ ] a', '## B', '- depends: x')).toEqual([['A', 'pending|a|'], ['B']]);
    expect(read('## A', '- [ ] a', '- depends:x')).toEqual([['A', 'pending|a|x']]);
  });

  test('[S0.4] white space is that of Unicode: U+0085 is trimmed, U+FEFF is not', () => {
    expect(read('\u0085## A\u3000', '\u2003- [ ] a\u0085', '\ufeff- [ ] b')).toEqual([['A', 'pending|a|']]);
  });

  test('[S0.4] a plain text says nothing beyond the seed grammar, even where it looks like an export', () => {
    const plain = [
      '# t',
      exportHeader,
      '* author: ann',
      '> body',
      '## A',
      '* tests verified',
      '- [ ] a',
      '  - id: task-7',
    ];
    const parsed = parseMarkdown(plain.join('\n'));
    expect(parsed).toEqual({
      groups: [{ title: 'A', testsVerified: false, tasks: [{ description: 'a', status: 'pending', dependsOn: [] }] }],
    });
    const newer = parseMarkdown('<!-- planroom plan, format 2 -->\n## A\n- [ ] a\n- id: task-7');
    expect(newer.groups[0]?.tasks[0]?.number).toBeUndefined();
  });

  test('[S0.4] any text gives what a naive reading of the grammar gives', () => {
    const line = fc.tuple(
      fc.constantFrom('', ' ', '\t', '\u0085', '  '),
      fc.constantFrom(
        '## ',
        '##',
        '### ',
        '- [ ] ',
        '- [x] ',
        '- [X] ',
        '- [*] ',
        '- depends:',
        '- depends: ',
        '> ',
        '',
      ),
      fc.oneof(fc.constantFrom('', 'a', 'a, b', ' ,', 'task-1', 'x '), nastyText),
      fc.constantFrom('\n', '\r\n'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = lines.map((parts) => parts.join('')).join('');
        expect(items(parseMarkdown(text))).toEqual(naiveReading(text));
      }),
      { numRuns: 500 },
    );
  });
});

/** The six rules, one after the other, without regard to speed. */
function naiveReading(text: string): string[][] {
  const groups: { title: string; tasks: { status: string; text: string; dependsOn: string[] }[] }[] = [];
  for (const line of text.split('\n').map(trim)) {
    const group = groups.at(-1);
    const last = group?.tasks.at(-1);
    if (line.startsWith('## ')) groups.push({ title: line.slice(3), tasks: [] });
    else if (group && line.startsWith('- [ ] '))
      group.tasks.push({ status: 'pending', text: line.slice(6), dependsOn: [] });
    else if (group && /^- \[[xX]\] /.test(line))
      group.tasks.push({ status: 'completed', text: line.slice(6), dependsOn: [] });
    else if (last && line.startsWith('- depends:')) {
      last.dependsOn = line.slice(10).split(',').map(trim).filter(Boolean);
    }
  }
  return groups.map(({ title, tasks }) => [
    title,
    ...tasks.map((task) => `${task.status}|${task.text}|${task.dependsOn.join(';')}`),
  ]);
}

/** What an export promises to give back. */
function meaning(snapshot: Snapshot): ParsedPlan {
  const { content, title, author, status, revision } = snapshot.document;
  const ids = new Map(snapshot.tasks.map((task) => [task.uid, taskId(task)]));
  return {
    ...(revision > 0 && {
      document: {
        content,
        ...(title !== undefined && { title }),
        ...(author !== undefined && { author }),
        ...(status !== undefined && { status }),
      },
    }),
    policy: snapshot.policy,
    groups: snapshot.groups.map((group) => ({
      title: group.title,
      testsVerified: group.testsVerified,
      ...(group.evidence !== undefined && { evidence: group.evidence }),
      tasks: snapshot.tasks
        .filter((task) => task.group === group.uid)
        .map(({ number, description, status: state, startedBy, dependsOn, priority, labels }) => ({
          number,
          description,
          status: state,
          dependsOn: dependsOn.map((dependency) => ids.get(dependency) ?? dependency),
          ...(startedBy !== undefined && { startedBy }),
          ...(priority !== undefined && { priority }),
          ...(labels !== undefined && { labels }),
        })),
    })),
  };
}

describe('the export', () => {
  test('an export reads well, and the same plan gives the same text', () => {
    const room = new PlanHarness();
    room.accept({ type: 'document.write', content: 'Goal\n\n## Steps\n- [ ] none', title: 'Release', author: 'ann' });
    room.accept({ type: 'task.add', group: 'DB', description: 'tables', labels: ['sql', 'core'], priority: 'high' });
    room.accept({ type: 'task.add', group: 'DB', description: 'two\nlines ', dependsOn: ['task-1', 'a,b'] });
    room.accept({ type: 'task.add', group: '', description: 'routes' });
    room.accept({ type: 'task.start', task: 'task-3' }, 'bob');
    room.accept({ type: 'task.complete', task: 'task-1' });
    room.accept({ type: 'group.verify', group: 'DB', evidence: 'all 41 pass' });
    const text = toMarkdown(room.plan.toSnapshot());
    expect(text).toBe(exampleExport);
    expect(toMarkdown(JSON.parse(JSON.stringify(room.plan.toSnapshot())))).toBe(text);
  });

  test('an export read by a loader that knows only the seed grammar gives groups, items, done marks and dependencies', () => {
    const plain = exampleExport.slice(exampleExport.indexOf('\n') + 1);
    expect(items(parseMarkdown(plain))).toEqual([
      ['DB', 'completed|tables|', 'pending|two lines|task-1'],
      ['(untitled)', 'pending|routes|'],
    ]);
  });

  test('every plan comes back from its export, and the export of what came back is the same text', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const text = toMarkdown(snapshot);
        expect(parseMarkdown(text)).toEqual(meaning(snapshot));
        const room = new PlanHarness();
        room.accept({ type: 'plan.load', markdown: text });
        expect(toMarkdown(room.plan.toSnapshot())).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  test('every plan keeps its groups, order and boxes for a loader that knows only the seed grammar', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const text = toMarkdown(snapshot);
        const seen = parseMarkdown(text.slice(text.indexOf('\n') + 1));
        const rich = parseMarkdown(text);
        expect(seen.groups.map((group) => group.tasks.map((task) => task.status === 'completed'))).toEqual(
          rich.groups.map((group) => group.tasks.map((task) => task.status === 'completed')),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('a document body comes back byte for byte, whatever Markdown it holds', () => {
    const bodies = [
      exampleExport,
      '\n',
      ' ',
      '\r\n## A\r\n- [ ] b\r',
      '> quoted\n>\n> more\n',
      `${exportHeader}\n`,
      '\ufeff#',
    ];
    for (const content of bodies) {
      const room = new PlanHarness();
      room.accept({ type: 'document.write', content });
      room.with('G', 'one');
      const copy = new PlanHarness();
      copy.accept({ type: 'plan.load', markdown: toMarkdown(room.plan.toSnapshot()) });
      expect(copy.plan.document.content).toBe(content);
      expect(copy.list()).toEqual(room.list());
    }
  });

  test('a body known only by its size is left out, so that loading cannot empty the document', () => {
    const document = { content: '', contentBytes: 70_000, title: 'T', revision: 1, updatedAt: 'x' };
    const snapshot = { room: 'r', revision: 1, updatedAt: 'x', policy: defaultPolicy, document, groups: [], tasks: [] };
    expect(parseMarkdown(toMarkdown(snapshot)).document).toBeUndefined();
    expect(parseMarkdown(toMarkdown({ ...snapshot, document: emptyDocument })).document).toBeUndefined();
  });
});

describe('an export that a person edited', () => {
  const rich = (...lines: readonly string[]): ParsedPlan => parseMarkdown([exportHeader, ...lines].join('\n'));

  test('ticking the box of a task in progress completes it', () => {
    const parsed = rich('## A', '- [x] a', '  - status: in_progress', '  - started by: ann');
    expect(parsed.groups[0]?.tasks).toEqual([{ description: 'a', status: 'completed', dependsOn: [] }]);
  });

  test('facts that say nothing sensible are skipped', () => {
    const parsed = rich(
      '* in progress: sometimes',
      '* strict terminal: maybe',
      '## A',
      '- [ ] a',
      '- id: task-07',
      `- id: task-${limits.taskNumberMax + 1}`,
      '- status: completed',
      '- started by: ann',
      '- labels: ["a", 1]',
      '- text: "no end',
    );
    expect(parsed).toEqual({
      groups: [
        {
          title: 'A',
          testsVerified: false,
          tasks: [{ description: '"no end', status: 'pending', dependsOn: [], labels: ['["a"', '1]'] }],
        },
      ],
    });
  });

  test('a number is understood up to its limit', () => {
    expect(rich('## A', '- [ ] a', `- id: task-${limits.taskNumberMax}`).groups[0]?.tasks[0]?.number).toBe(1_000_000);
  });

  test('a byte order mark or CRLF line ends do no harm', () => {
    const parsed = parseMarkdown(
      `\ufeff${exportHeader}\r\n* author: ann\r\n> body\n## A\r\n- [ ] a\r\n- id: task-3\r\n`,
    );
    expect(parsed.document).toEqual({ author: 'ann', content: 'body' });
    expect(parsed.groups[0]?.tasks[0]?.number).toBe(3);
  });
});

describe('hostile texts', () => {
  const bytes = 2 * 1024 * 1024;
  const many = (part: string): string => part.repeat(Math.floor(bytes / part.length));
  const item = `${exportHeader}\n## A\n- [ ] x\n`;
  const nested = `- labels: ${'['.repeat(90_000)}${']'.repeat(90_000)}\n`;
  test.each([
    ['blanks inside a line', `a${many(' ')}b`],
    ['line ends', many('\n')],
    ['backslashes in a quoted text', `${item}- text: "${many('\\')}"`],
    ['an unfinished quoted text', `${item}- text: "${many('a')}`],
    ['open brackets', `${item}- labels: ${many('[')}`],
    ['nested lists', item + many(nested)],
    ['commas', `${item}- depends:${many(' ,')}`],
    ['one item too many, many times', `## A\n${many('- [ ] a\n')}`],
    ['groups without end', many('## a\n')],
    ['a body of line ends', `${exportHeader}\n${many('>\n')}`],
  ])('%s are read in time that grows with the length alone', (_name, text) => {
    const half = text.slice(0, text.length / 2);
    parseMarkdown(half);
    const took = (subject: string): number => {
      const start = performance.now();
      parseMarkdown(subject);
      return performance.now() - start;
    };
    const small = Math.min(took(half), took(half), took(half));
    const large = Math.min(took(text), took(text), took(text));
    expect(large).toBeLessThan(small * 8 + 50);
  });

  test('any text at all is read without a throw', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.string({ unit: 'binary', maxLength: 500 }), (rich, text) => {
        parseMarkdown(rich ? `${exportHeader}\n${text}` : text);
      }),
    );
  });

  test('reading stops at the first task or group more than a room may hold', () => {
    const tasks = parseMarkdown(`## A\n${'- [ ] a\n'.repeat(limits.tasksPerRoomMax + 5)}`);
    expect(tasks.groups[0]?.tasks).toHaveLength(limits.tasksPerRoomMax + 1);
    expect(parseMarkdown('## a\n'.repeat(limits.groupsPerRoomMax + 5)).groups).toHaveLength(
      limits.groupsPerRoomMax + 1,
    );
  });
});

const exampleExport = `<!-- planroom plan, format 1 -->

# Release

* author: ann
* in progress: one-per-actor
* strict terminal: no
* full-list writes: merge

> Goal
>
> ## Steps
> - [ ] none

## DB

* tests verified: all 41 pass

- [x] tables
  - id: task-1
  - priority: high
  - labels: sql, core
- [ ] two lines
  - text: "two\\nlines "
  - id: task-2
  - depends: task-1
  - exact depends: ["task-1","a,b"]

## (untitled)

* title: ""

- [ ] routes
  - id: task-3
  - status: in_progress
  - started by: bob
`;
