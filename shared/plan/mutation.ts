import { z } from 'zod';
import { limits } from './limits.ts';
import { documentStatus, documentWrite } from './mutations/document.ts';
import { groupAdd, groupEdit, groupMove, groupRemove, groupVerify } from './mutations/group.ts';
import { planLoad, planPolicy } from './mutations/plan.ts';
import { tasksReplace } from './mutations/replace.ts';
import { planRevert } from './mutations/revert.ts';
import { taskAdd, taskEdit, taskMove, taskRemove } from './mutations/task.ts';
import { taskCancel, taskComplete, taskReopen, taskStart } from './mutations/task-status.ts';
import { tasksClean } from './mutations/tasks.ts';

const single = [
  documentWrite,
  documentStatus,
  groupAdd,
  groupEdit,
  groupMove,
  groupRemove,
  groupVerify,
  taskAdd,
  taskEdit,
  taskMove,
  taskStart,
  taskComplete,
  taskCancel,
  taskReopen,
  taskRemove,
  tasksClean,
  tasksReplace,
  planLoad,
  planPolicy,
  planRevert,
] as const;

/** A mutation that may stand in a batch. */
export const singleMutationSchema = z.discriminatedUnion('type', single);

/** All or nothing, as one Change. Later ones see what earlier ones did. */
export const batchSchema = z.strictObject({
  type: z.literal('batch'),
  mutations: z.array(singleMutationSchema).min(1).max(limits.mutationsPerBatchMax),
});

/** A request to change the plan; may be refused. */
export const mutationSchema = z.discriminatedUnion('type', [...single, batchSchema]);

export type SingleMutation = z.infer<typeof singleMutationSchema>;
export type Batch = z.infer<typeof batchSchema>;
export type Mutation = z.infer<typeof mutationSchema>;
export type MutationType = Mutation['type'];

export const mutationTypes: readonly MutationType[] = [...single.map((schema) => schema.shape.type.value), 'batch'];
