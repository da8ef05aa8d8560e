/**
 * mutationIds of one client: a random prefix and a counter. Unique without asking anyone, and those of one client lie
 * beside each other in the index of the server's store.
 */
export class MutationIds {
  private readonly prefix: string;
  private count = 0;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  next(): string {
    this.count += 1;
    return `${this.prefix}.${this.count}`;
  }
}
