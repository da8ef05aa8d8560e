import type { PlanDocument, Policy, Snapshot, Status } from './model.ts';

export interface ParsedTask {
  readonly number?: number;
  readonly description: string;
  readonly status: Status;
  readonly dependsOn: readonly string[];
  readonly startedBy?: string;
  readonly priority?: string;
  readonly labels?: readonly string[];
}
export interface ParsedGroup {
  readonly title: string;
  readonly testsVerified: boolean;
  readonly evidence?: string;
  readonly tasks: readonly ParsedTask[];
}
export interface ParsedPlan {
  readonly document?: Pick<PlanDocument, 'content' | 'title' | 'author' | 'status'>;
  readonly policy?: Partial<Policy>;
  readonly groups: readonly ParsedGroup[];
}
export function parseMarkdown(_text: string): ParsedPlan {
  return { groups: [] };
}
export function toMarkdown(_plan: Omit<Snapshot, 'epoch'>): string {
  return '';
}
