interface Entry<Value> {
  readonly value: Value
  readonly endSeconds: number
}

/** Values in memory with an expiry. Beyond the maximum, the oldest value is evicted. */
export class Expiring<Value> {
  private readonly entries = new Map<string, Entry<Value>>()

  constructor(private readonly most: number) {}

  get size(): number {
    return this.entries.size
  }

  set(key: string, value: Value, endSeconds: number, nowSeconds: number): void {
    for (const [each, entry] of this.entries) if (entry.endSeconds <= nowSeconds) this.entries.delete(each)
    this.entries.set(key, { value, endSeconds })
    const [oldest] = this.entries.keys()
    if (this.entries.size > this.most && oldest !== undefined) this.entries.delete(oldest)
  }

  get(key: string, nowSeconds: number): Value | undefined {
    const entry = this.entries.get(key)
    return entry !== undefined && entry.endSeconds > nowSeconds ? entry.value : undefined
  }

  delete(key: string): void {
    this.entries.delete(key)
  }
}
