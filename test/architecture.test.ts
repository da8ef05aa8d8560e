import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/**
 * The arrows of the architecture: who may import whom. A folder may import itself and what is listed for it, ours or
 * from outside. `node:` stands for what only Node has.
 */
const arrows: Record<string, { readonly ours: readonly string[]; readonly outside: readonly string[] }> = {
  'shared/plan': { ours: [], outside: ['zod', 'fractional-indexing'] },
  'shared/protocol': { ours: ['shared/plan'], outside: ['zod'] },
  'shared/dialects': { ours: ['shared/plan', 'shared/protocol'], outside: ['zod'] },
  'shared/mirror': { ours: ['shared/plan'], outside: ['yjs'] },
  'server/store': {
    ours: ['shared/plan'],
    outside: ['node:', '@photostructure/sqlite'],
  },
  'server/room': { ours: ['shared/plan', 'server/store/store.ts'], outside: ['zod'] },
  'server/operations': {
    ours: ['shared/plan', 'shared/protocol', 'shared/dialects', 'server/room', 'server/store/store.ts'],
    outside: ['node:', 'zod'],
  },
  'server/endpoints/mcp': {
    ours: [
      'shared/plan',
      'shared/protocol',
      'shared/dialects',
      'server/room',
      'server/operations',
      'server/endpoints/request-body.ts',
    ],
    outside: ['node:', '@modelcontextprotocol/server'],
  },
  'server/endpoints/websocket': {
    ours: [
      'shared/plan',
      'shared/protocol',
      'shared/dialects',
      'server/room',
      'server/operations',
      'server/store/store.ts',
      'server/endpoints/local-guard.ts',
    ],
    outside: ['node:', 'ws'],
  },
  'server/endpoints/http': {
    ours: [
      'shared/plan',
      'shared/protocol',
      'shared/dialects',
      'server/room',
      'server/operations',
      'server/store/store.ts',
      'server/endpoints/local-guard.ts',
      'server/endpoints/request-body.ts',
    ],
    outside: ['node:', 'hono', '@hono/node-server', 'zod'],
  },
  'server/endpoints': { ours: ['shared/plan', 'shared/protocol'], outside: ['node:'] },
  server: { ours: ['shared', 'server'], outside: ['node:', '@hono/node-server', 'nanoid', 'pino'] },
  'client/sdk': { ours: ['shared'], outside: ['ws', 'nanoid'] },
  'client/mcp': {
    ours: ['shared/plan', 'shared/protocol', 'client/sdk'],
    outside: ['node:', '@modelcontextprotocol/client', 'nanoid'],
  },
  'client/cli': { ours: ['shared', 'client/sdk', 'client/mcp'], outside: ['node:', 'commander', 'nanoid'] },
};

const root = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  readonly from: string;
  readonly to: string;
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const files = ['shared', 'server', 'client'].flatMap(sources);

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(root, from), 'utf8');
  const found = text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'";]*?\bfrom\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/g);
  return [...found].map((match) => {
    const to = match[1] ?? match[2] ?? '';
    return { from, to: to.startsWith('.') ? relative(root, join(root, dirname(from), to)) : to };
  });
});

function folderOf(file: string): string {
  const folders = Object.keys(arrows).filter((folder) => file.startsWith(`${folder}/`));
  return folders.sort((a, b) => b.length - a.length)[0] ?? '';
}

function isAllowed({ from, to }: Import): boolean {
  const folder = folderOf(from);
  const rule = arrows[folder];
  if (!rule) return false;
  const ours = /^(shared|server|client)\//.test(to);
  if (!ours)
    return rule.outside.some((name) =>
      name.endsWith(':') ? to.startsWith(name) : to === name || to.startsWith(`${name}/`),
    );
  if (folderOf(to) === folder) return true;
  return rule.ours.some((allowed) => to === allowed || to.startsWith(`${allowed}/`));
}

describe('architecture', () => {
  test('the walk over the sources finds files and imports', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(200);
    expect(imports).toContainEqual({ from: 'server/room/room.ts', to: 'shared/plan/plan.ts' });
  });

  test('every import follows an arrow', () => {
    expect(imports.filter((each) => !isAllowed(each)).map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('a forbidden arrow would be seen', () => {
    expect(isAllowed({ from: 'server/room/room.ts', to: 'shared/protocol/codec.ts' })).toBe(false);
    expect(isAllowed({ from: 'server/room/room.ts', to: 'server/store/sqlite.ts' })).toBe(false);
    expect(isAllowed({ from: 'shared/plan/plan.ts', to: 'node:fs' })).toBe(false);
    expect(isAllowed({ from: 'client/sdk/client.ts', to: 'server/main.ts' })).toBe(false);
    expect(isAllowed({ from: 'server/endpoints/http/app.ts', to: 'server/endpoints/websocket/session.ts' })).toBe(
      false,
    );
  });

  test('no file takes part in an import cycle', () => {
    expect(cycles()).toEqual([]);
  });
});

/** Import cycles, each as the path that closes it. */
function cycles(): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const next of targets.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}
