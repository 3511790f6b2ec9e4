/** A reader of the changes. */
export interface Reader {
  /** Its number in the core. */
  id: number;
  /** How many changes there had been when its baseline was set. */
  since: number;
  /** Changes that it hasn't read were lost with a core, and it hasn't been told. */
  hasLost: boolean;
}

/** Who reads the changes, and what each of them hasn't read yet. */
export class Readers {
  /** The reader that every tracker has. */
  readonly main: Reader = { id: 0, since: 0, hasLost: false };
  private readonly others = new Set<Reader>();
  /** How many changes there have been. */
  changes = 0;
  /** Whether the last one is all that the log has recorded since the last recipe began. */
  private isRecorded = false;

  /** There was a change. */
  changed(isRecorded: boolean): void {
    this.changes++;
    this.isRecorded = isRecorded;
  }

  add(id: number): Reader {
    const reader = { id, since: this.changes, hasLost: false };
    this.others.add(reader);
    return reader;
  }

  has(reader: Reader): boolean {
    return this.others.has(reader);
  }

  delete(reader: Reader): boolean {
    return this.others.delete(reader);
  }

  /** The present state is the reader's baseline. */
  setBaseline(reader: Reader): void {
    reader.since = this.changes;
    reader.hasLost = false;
  }

  /** Whether the reader has read all. */
  lacksNothing(reader: Reader): boolean {
    return reader.since === this.changes && !reader.hasLost;
  }

  /** Whether what the reader hasn't read is one change, which the log has recorded. */
  lacksOneRecorded(reader: Reader): boolean {
    return this.isRecorded && reader.since === this.changes - 1 && !reader.hasLost;
  }

  /** Whether everybody has read the first so many changes. */
  haveRead(changes: number): boolean {
    return this.main.since >= changes && [...this.others].every(({ since }) => since >= changes);
  }

  /**
   * The core was lost: the next one begins with the present state, which is everybody's baseline then. It will number the readers in
   * their order, and the log may refer to them before it does.
   */
  lose(): void {
    for (const [index, reader] of [this.main, ...this.others].entries()) {
      reader.hasLost ||= reader.since !== this.changes;
      reader.since = this.changes;
      reader.id = index;
    }
  }

  /** Another core gives the readers numbers, from 1 on; one that was closed meanwhile had one, too. */
  renumber(open: () => number, close: (id: number) => void): void {
    const closed: number[] = [];
    for (const reader of this.others) {
      let id = open();
      for (; id < reader.id; id = open()) closed.push(id);
      reader.id = id;
    }
    closed.forEach(close);
  }
}
