/** Numbers for new tasks: the one that is asked for if it is free, and the first to ask keeps it; else past the highest. */
export class NumberGiver {
  private readonly isFree: (number: number) => boolean;
  private readonly given = new Set<number>();
  private next: number;

  /** `highest` of the plan as it is; `asking` are all that will be given one. */
  constructor(
    isFree: (number: number) => boolean,
    highest: number,
    asking: readonly { readonly number?: number | undefined }[],
  ) {
    this.isFree = isFree;
    this.next = asking.reduce((most, { number = 0 }) => (isFree(number) ? Math.max(most, number) : most), highest) + 1;
  }

  give(asked: number | undefined): number {
    const fits = asked !== undefined && this.isFree(asked) && !this.given.has(asked);
    const number = fits ? asked : this.next++;
    this.given.add(number);
    return number;
  }
}
