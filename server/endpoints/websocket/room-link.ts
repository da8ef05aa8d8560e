import type { JoinedRoom, Subscriber, Subscription } from '../../room/subscriber.ts';
import type { EncodedRecord, RoomPosition } from '../../store/store.ts';
import type { FrameCache } from './frames.ts';
import type { Outbox } from './outbox.ts';

/** One session's join of one room: turns what the room tells into messages, in delta or notice mode. */
export class RoomLink implements Subscriber {
  readonly name: string;
  private readonly mode: 'delta' | 'notice';
  private readonly outbox: Outbox;
  private readonly frames: FrameCache;
  private readonly onEnd: (link: RoomLink) => void;
  private subscription: Subscription | undefined;
  private ended = false;

  constructor(
    name: string,
    mode: 'delta' | 'notice',
    outbox: Outbox,
    frames: FrameCache,
    onEnd: (link: RoomLink) => void,
  ) {
    this.name = name;
    this.mode = mode;
    this.outbox = outbox;
    this.frames = frames;
    this.onEnd = onEnd;
  }

  /** The live room, once joined. */
  get room(): JoinedRoom | undefined {
    return this.subscription?.room;
  }

  onSubscribed(subscription: Subscription): void {
    if (this.ended) {
      subscription.unsubscribe();
      return;
    }
    this.subscription = subscription;
    const { room, position, catchUp } = subscription;
    this.outbox.send({ type: 'joined', room: this.name, ...position, mode: this.mode, resume: catchUp.type });
    if (this.mode === 'notice') return;
    if (catchUp.type === 'snapshot') this.outbox.sendLarge(this.frames.snapshotFrame(room));
    if (catchUp.type === 'changes') {
      this.outbox.sendLarge(this.frames.catchUpFrame(this.name, position.epoch, catchUp.records));
    }
  }

  onChanges(room: string, epoch: string, records: readonly EncodedRecord[]): void {
    const frame =
      this.mode === 'delta' ? this.frames.publishedFrame(room, epoch, records) : this.frames.noticeFrame(room, records);
    this.outbox.sendFrame(frame);
  }

  onDeleted(room: string, position: RoomPosition): void {
    this.outbox.send({ type: 'deleted', room, ...position });
    this.end();
    this.onEnd(this);
  }

  end(): void {
    this.ended = true;
    this.subscription?.unsubscribe();
    this.subscription = undefined;
  }
}
