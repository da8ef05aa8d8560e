/** The SDK of planroom: what programs in Node and in the browser use to share a plan. */

export type { Change, Nag, Patch } from '../../shared/plan/change.ts';
export { blockedTasks, blockers, cycles, readyTasks } from '../../shared/plan/graph.ts';
export { toMarkdown } from '../../shared/plan/markdown.ts';
export type { Group, PlanDocument, Policy, Snapshot, Status, Task } from '../../shared/plan/model.ts';
export { isTerminal, taskId } from '../../shared/plan/model.ts';
export type { Mutation, SingleMutation } from '../../shared/plan/mutation.ts';
export type { Plan } from '../../shared/plan/plan.ts';
export { renderContext } from '../../shared/plan/render.ts';
export type { Result } from '../../shared/plan/result.ts';
export type { ErrorCode } from '../../shared/protocol/error-code.ts';
export type { PresenceEntry, RoomEntry } from '../../shared/protocol/server-message.ts';
export { type BackOff, defaultBackOff } from './back-off.ts';
export { type ClientEvents, PlanroomClient } from './client.ts';
export { type ConnectOptions, checkOptions, connect } from './connect.ts';
export type { Environment } from './environment.ts';
export type { ClientFailure, FailureCode } from './failure.ts';
export type { LinkStatus } from './link.ts';
export type { ChangesRead, ClientResult } from './operations.ts';
export type { Position } from './optimistic-plan.ts';
export type { Ack, MutationResult } from './pending-mutations.ts';
export type { Fields, Guard } from './plan-mutations.ts';
export { RoomView } from './room-view.ts';
export type { RoomsEvent } from './rooms-watch.ts';
export type { JoinOptions, ViewChange, ViewEvents } from './view-events.ts';
export type { SocketConstructor, SocketLike } from './web-socket.ts';
