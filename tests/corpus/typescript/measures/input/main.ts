/* Header. */
export class Queue<T> {
  private items: T[] = [];

  take(wanted?: T): T | undefined {
    if (!wanted) return this.items[0] ?? undefined;
    for (const item of this.items)
      if (item === wanted) {
        return item;
      }
    return wanted as T;
  }
}

export const each = async <T>(items: T[], act: (item: T) => void): Promise<void> => {
  items.forEach((item) => { if (item) act(item); });
};
