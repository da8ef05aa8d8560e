import { defaultPolicy } from '../../shared/plan/model.ts';
import type { ServerMessage } from '../../shared/protocol/server-message.ts';

type MessageOf<Type extends ServerMessage['type']> = Extract<ServerMessage, { type: Type }>;

const at = '2026-01-02T03:04:05.678Z';
const epoch = 'epoch';
const room = 'room';
const entry = {
  room,
  epoch,
  revision: 2,
  title: 'Title',
  author: 'ann',
  status: 'draft',
  taskCount: 2,
  openCount: 1,
  updatedAt: at,
};

const task = {
  uid: 'task-uid',
  number: 1,
  group: 'group-uid',
  order: 'a0',
  description: 'text',
  status: 'in_progress',
  startedBy: 'ann',
  dependsOn: ['task-2'],
  priority: 'high',
  labels: ['one'],
  createdBy: 'ann',
  createdRevision: 1,
  updatedBy: 'bo',
  updatedAt: at,
  revision: 2,
} as const;

/** One message of each type with every field it can have; the compiler holds it to the types. */
export const samples: { readonly [Type in ServerMessage['type']]: Required<MessageOf<Type>> } = {
  welcome: {
    type: 'welcome',
    protocol: 1,
    server: 'planroom',
    session: 'session',
    actor: 'ann',
    limits: { frameBytesMax: 1, messagesPerFrameMax: 2, mutationsInFlightPerSessionMax: 3, heartbeatIntervalMs: 4 },
  },
  joined: { type: 'joined', room, epoch, revision: 1, mode: 'delta', resume: 'current' },
  left: { type: 'left', room },
  snapshot: {
    type: 'snapshot',
    plan: {
      room,
      epoch,
      revision: 2,
      updatedAt: at,
      policy: defaultPolicy,
      document: {
        title: 'T',
        content: '',
        contentBytes: 70_000,
        author: 'ann',
        status: 'draft',
        revision: 1,
        updatedAt: at,
      },
      groups: [{ uid: 'group-uid', title: 'G', order: 'a0', testsVerified: true, evidence: 'green', revision: 2 }],
      tasks: [task],
    },
  },
  changes: {
    type: 'changes',
    room,
    epoch,
    changes: [
      {
        revision: 2,
        at,
        actor: 'ann',
        mutationId: 'm',
        action: 'batch',
        patch: {
          document: { title: null, contentBytes: 70_000 },
          policy: { strictTerminal: true },
          groups: [
            { uid: 'gone', removed: true },
            { uid: 'group-uid', title: 'G' },
          ],
          tasks: [
            { uid: 'gone', removed: true },
            { uid: 'task-uid', status: 'completed', startedBy: null },
          ],
        },
      },
    ],
  },
  notice: { type: 'notice', room, action: 'task.add', revision: 1 },
  deleted: { type: 'deleted', room, epoch, revision: 1 },
  ack: {
    type: 'ack',
    room,
    id: 'm',
    epoch,
    revision: 1,
    nags: [{ code: 'unknown_dependency', message: 'text' }],
    created: [{ uid: 'task-uid', id: 'task-1' }],
    repeated: true,
  },
  reject: { type: 'reject', room, id: 'm', code: 'busy', message: 'text', facts: { task: 'task-1' }, retryable: false },
  result: { type: 'result', id: 'r', value: {} },
  error: { type: 'error', id: 'r', code: 'bad_message', message: 'text', facts: { room }, retryable: false },
  rooms: { type: 'rooms', rooms: [entry], warnings: [{ room: 'torn', message: 'text' }] },
  room: { type: 'room', room, action: 'task.add', revision: 2, entry },
  presence: { type: 'presence', room, present: [{ session: 's', actor: 'ann', since: at, on: 'task-1' }], more: 1 },
  pong: { type: 'pong' },
};

export const serverMessageTypes: readonly string[] = Object.keys(samples).sort();
