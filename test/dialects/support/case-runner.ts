import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { McpClient, type Revision } from '../../support/mcp-client.ts';
import { mismatch, missingFact, type TextExpectation, textMismatch } from './expectation.ts';
import { fill } from './values.ts';

export interface Case {
  readonly id: string;
  readonly title: string;
  readonly dialect: string;
  readonly files?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

interface Step {
  readonly tool?: string;
  readonly args?: Record<string, unknown>;
  readonly dialect?: string;
  readonly as?: string;
  readonly view?: true;
  readonly concurrent?: readonly Step[];
  readonly expectCounts?: { readonly ok: number; readonly rejected: number; readonly rejectedMentions?: string[] };
  readonly file?: string;
  readonly expect?: Record<string, unknown>;
}

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Record<string, unknown> | undefined;
}

/** Where cases put their files; the server under test must reach it. */
export function makeFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'planroom-cases-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Plays a case against a running server through a real MCP client of the given revision. */
export async function playCase(url: string, folder: string, revision: Revision, played: Case): Promise<void> {
  const run = new CaseRun(url, folder, revision, played);
  try {
    await run.play();
  } finally {
    await run.close();
  }
}

class CaseRun {
  private readonly url: string;
  private readonly revision: Revision;
  private readonly played: Case;
  private readonly names: Record<string, string>;
  private readonly actor: string;
  private readonly clients = new Map<string, Promise<McpClient>>();
  private readonly opened: McpClient[] = [];

  constructor(url: string, folder: string, revision: Revision, played: Case) {
    const token = Array.from({ length: 8 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('');
    this.url = url;
    this.revision = revision;
    this.played = played;
    this.actor = `actor-${token}`;
    this.names = { U: token, ROOM: `case-${token}`, TMP: join(folder, token) };
  }

  async play(): Promise<void> {
    this.makeFiles();
    for (const [index, step] of this.played.steps.entries()) {
      const problem = await this.playStep(fill(step, this.names) as Step);
      if (problem !== undefined) expect.fail(`${this.played.id}, step ${index + 1}: ${problem}`);
    }
  }

  async close(): Promise<void> {
    for (const client of this.opened) await client.close();
  }

  private makeFiles(): void {
    const folder = this.names.TMP as string;
    mkdirSync(folder);
    for (const [name, content] of Object.entries(this.played.files ?? {})) {
      const value = fill(content, this.names);
      if (typeof value === 'string') writeFileSync(join(folder, name), value);
      else mkdirSync(join(folder, name));
    }
  }

  private async playStep(step: Step): Promise<string | undefined> {
    if (step.view) return this.playView(step);
    if (step.concurrent) return this.playConcurrent(step);
    if (step.file !== undefined) return checkFile(step.file, step.expect ?? {});
    const expected = step.expect ?? { ok: true };
    const before = expected.unchanged ? await this.state(step) : undefined;
    const answer = await this.call(await this.client(step), step);
    const problem = checkAnswer(answer, expected);
    if (problem !== undefined || before === undefined) return problem;
    return mismatch(before, await this.state(step), 'what was to stay unchanged');
  }

  private async playView({ dialect = this.played.dialect, expect: expected = {} }: Step): Promise<string | undefined> {
    const view = await this.view(dialect);
    const result = 'result' in expected ? mismatch(expected.result, view.result, 'result') : undefined;
    if (result !== undefined || !('render' in expected)) return result;
    return textMismatch(expected.render as TextExpectation | null, view.render);
  }

  private async playConcurrent({ concurrent = [], expectCounts }: Step): Promise<string | undefined> {
    const clients = await Promise.all(concurrent.map((step) => this.connect(step)));
    const answers = await Promise.all(concurrent.map((step, index) => this.call(clients[index] as McpClient, step)));
    const refused = answers.filter((answer) => answer.isError);
    const counts = { ok: answers.length - refused.length, rejected: refused.length };
    const { rejectedMentions = [], ...wanted } = expectCounts ?? { ok: concurrent.length, rejected: 0 };
    const facts = refused.map(({ text }) => missingFact(text, rejectedMentions)).find((each) => each !== undefined);
    return mismatch(wanted, counts, 'counts') ?? facts;
  }

  private client(step: Step): Promise<McpClient> {
    const key = `${step.dialect ?? ''} ${step.as ?? ''}`;
    const client = this.clients.get(key) ?? this.connect(step);
    this.clients.set(key, client);
    return client;
  }

  private async connect({ dialect = this.played.dialect, as = this.actor }: Step): Promise<McpClient> {
    const query = new URLSearchParams({ room: this.names.ROOM as string, tools: dialect, as });
    const client = await McpClient.connect(new URL(`/mcp?${query}`, this.url), this.revision);
    this.opened.push(client);
    return client;
  }

  private async call({ client }: McpClient, { tool = '', args = {} }: Step): Promise<Answer> {
    const result = await client.callTool({ name: tool, arguments: args });
    const [content] = result.content as { type: string; text?: string }[];
    return {
      isError: result.isError === true,
      text: content?.text ?? '',
      structured: result.structuredContent as Record<string, unknown> | undefined,
    };
  }

  /** What `unchanged` compares. */
  private async state({ dialect = this.played.dialect, args = {} }: Step): Promise<unknown> {
    const view = await this.view(dialect);
    if (dialect !== 'docker-agent') return view;
    const client = await this.client({ dialect });
    const { name } = args;
    const plan = typeof name === 'string' ? await this.call(client, { tool: 'read_plan', args: { name } }) : undefined;
    const list = await this.call(client, { tool: 'list_plans' });
    const listed = ((list.structured ?? { plans: [] }).plans as { name: string }[]).filter((each) =>
      each.name.startsWith(this.names.U ?? ''),
    );
    return JSON.parse(JSON.stringify({ view, plan, listed }));
  }

  private async view(dialect: string): Promise<{ result: unknown; render: string | null }> {
    const response = await fetch(`${this.url}/api/rooms/${this.names.ROOM}/dialects/${dialect}`);
    expect(response.status).toBe(200);
    return response.json() as Promise<{ result: unknown; render: string | null }>;
  }
}

function checkAnswer(answer: Answer, expected: Record<string, unknown>): string | undefined {
  if (answer.isError === expected.ok) return `it was ${answer.isError ? 'refused' : 'accepted'}: ${answer.text}`;
  const text = expected as TextExpectation & { text?: TextExpectation };
  if (!expected.ok)
    return textMismatch({ mentions: text.mentions ?? [], notMentions: text.notMentions ?? [] }, answer.text);
  const result = 'result' in expected ? mismatch(expected.result, answer.structured, 'result') : undefined;
  const nags = 'nags' in expected ? checkNags(expected.nags as object[], answer.structured?.nags) : undefined;
  return result ?? nags ?? (text.text ? textMismatch(text.text, answer.text) : undefined);
}

function checkNags(expected: readonly object[], actual: unknown): string | undefined {
  const nags = (actual ?? []) as { message: string }[];
  if (nags.length !== expected.length) return `there are ${nags.length} nags: ${JSON.stringify(nags)}`;
  const problems = expected.map((nag, index) => textMismatch(nag as TextExpectation, nags[index]?.message ?? null));
  return problems.find((problem) => problem !== undefined);
}

function checkFile(path: string, expected: Record<string, unknown>): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (expected.absent) return stat ? `${path} is there` : undefined;
  if (!stat) return `${path} is not there`;
  const text = readFileSync(path, 'utf8');
  if (expected.text !== undefined && text !== expected.text) return `${path} holds ${text.slice(0, 200)}`;
  if (expected.bytes !== undefined && stat.size !== expected.bytes) return `${path} has ${stat.size} bytes`;
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
  return expected.mode !== undefined && mode !== expected.mode ? `${path} has mode ${mode}` : undefined;
}
