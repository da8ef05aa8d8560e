import type { Snapshot } from '../../shared/plan/model.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { EncodedRecord, Store } from '../store/store.ts';

/** Replaying this many Changes takes a few milliseconds; fewer are not worth a snapshot. */
const changesMin = 1_000;
/** Unless they are as large as documents: a load holds all of them at once. */
const charactersMin = 32 * 1024 * 1024;
/** On letting go of a room even a few spare the next load their replay. */
const changesOnEvictMin = 100;

/**
 * Decides when a snapshot is due: after many Changes, and only once they weigh as much as the snapshot itself, so that
 * snapshots at most double what is written, and a load reads at most about two snapshots' worth.
 */
export class SnapshotSchedule {
  private readonly store: Store;
  private changes = 0;
  private characters = 0;
  private lastSnapshotCharacters: number;
  private saving = false;

  constructor(stored: Snapshot | undefined, store: Store) {
    this.store = store;
    this.lastSnapshotCharacters = stored ? roughCharacters(stored) : 0;
  }

  count(record: EncodedRecord): void {
    this.changes += 1;
    this.characters += record.changeText.length;
  }

  /** Saves one if it is due. A failure is harmless: history has everything, and the next turn tries again. */
  async saveIfDue(plan: Plan): Promise<void> {
    const many = this.changes >= changesMin || this.characters >= charactersMin;
    if (this.saving || !many || this.characters < this.lastSnapshotCharacters) return;
    await this.save(plan);
  }

  async saveOnEvict(plan: Plan): Promise<void> {
    if (!this.saving && this.changes >= changesOnEvictMin) await this.save(plan);
  }

  private async save(plan: Plan): Promise<void> {
    this.saving = true;
    const { changes, characters } = this;
    const snapshot = plan.toSnapshot();
    const saved = await this.store.saveSnapshot(snapshot);
    this.saving = false;
    if (!saved.ok) return;
    this.changes -= changes;
    this.characters -= characters;
    this.lastSnapshotCharacters = roughCharacters(snapshot);
  }
}

function roughCharacters(snapshot: Snapshot): number {
  const tasks = snapshot.tasks.reduce((sum, task) => sum + task.description.length + 260, 0);
  return tasks + snapshot.document.content.length;
}
