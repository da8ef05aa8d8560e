import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { toMarkdown } from '../../../shared/plan/markdown.ts';
import { isRoomName } from '../../../shared/protocol/names.ts';
import type { RoomRegistry } from '../../room/registry.ts';
import { internalError, invalidParams } from './answers.ts';
import { bounds } from './bounds.ts';

/** The plans as resources: `plan://<room>` for people and models, `plan://<room>.json` for programs. */

const markdownType = 'text/markdown';
const jsonType = 'application/json';

interface PlanResource {
  readonly room: string;
  readonly mimeType: typeof markdownType | typeof jsonType;
}

/** A room name has no dot, so the ending cannot be part of one. */
export function parseUri(uri: string): PlanResource | undefined {
  if (!uri.startsWith('plan://')) return undefined;
  const isJson = uri.endsWith('.json');
  const room = uri.slice('plan://'.length, isJson ? -'.json'.length : undefined);
  return isRoomName(room) ? { room, mimeType: isJson ? jsonType : markdownType } : undefined;
}

export function urisOf(room: string): readonly string[] {
  return [`plan://${room}`, `plan://${room}.json`];
}

export const resourceTemplates: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: 'plan://{room}',
      name: 'plan',
      title: 'Plan of a room',
      description: 'The plan of a room as Markdown.',
      mimeType: markdownType,
    },
    {
      uriTemplate: 'plan://{room}.json',
      name: 'plan.json',
      title: 'Plan of a room as JSON',
      description: 'The whole plan of a room at its present revision, as JSON.',
      mimeType: jsonType,
    },
  ],
};

/** The plans there are: that of the caller's room first, then the others by name, a page at a time. */
export async function listResources(
  rooms: RoomRegistry,
  ownRoom: string,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  if (cursor !== undefined && !isRoomName(cursor)) throw invalidParams('The cursor is not one that this list gave.');
  const listed = await rooms.list();
  if (!listed.ok) throw internalError(listed.error.message);
  const all = listed.value.rooms;
  const own = cursor === undefined ? all.filter(({ room }) => room === ownRoom) : [];
  const others = all
    .filter(({ room }) => room !== ownRoom && (cursor === undefined || room > cursor))
    .sort((a, b) => (a.room < b.room ? -1 : 1));
  const page = [...own, ...others].slice(0, bounds.roomsPerPage);
  const more = own.length + others.length > page.length;
  const last = page.at(-1)?.room;
  return {
    resources: page.flatMap(({ room, title }) => describe(room, title)),
    ...(more && last !== undefined && { nextCursor: last }),
  };
}

function describe(room: string, title: string | undefined): ListResourcesResult['resources'] {
  const [markdown = '', json = ''] = urisOf(room);
  return [
    { uri: markdown, name: room, title: title ?? `Plan of ${room}`, mimeType: markdownType },
    { uri: json, name: `${room}.json`, title: `${title ?? `Plan of ${room}`} (JSON)`, mimeType: jsonType },
  ];
}

/** The plan as text. A room that was never written to is not there, here as over HTTP; asking makes nothing. */
export async function readResource(rooms: RoomRegistry, uri: string): Promise<ReadResourceResult> {
  const resource = parseUri(uri);
  if (!resource) throw notFound(uri, `There is no resource '${uri.slice(0, 200)}'. Ask for plan://<room>.`);
  const { room, mimeType } = resource;
  const opened = await rooms.open(room);
  if (!opened.ok) throw internalError(opened.error.message);
  if (opened.value.position.revision === 0) {
    throw notFound(uri, `Room '${room}' does not exist. List the resources to see which there are.`);
  }
  const snapshot = opened.value.snapshot();
  const text = mimeType === jsonType ? JSON.stringify(snapshot) : toMarkdown(snapshot);
  return { contents: [{ uri, mimeType, text }] };
}

function notFound(uri: string, message: string): ResourceNotFoundError {
  return new ResourceNotFoundError(uri, message);
}
