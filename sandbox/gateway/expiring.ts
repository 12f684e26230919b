import { setBounded } from '../../lib/platform/concurrency/bounded-map'

interface Entry<Value> {
  readonly value: Value
  readonly endSeconds: number
}

/** Values in memory with an expiry. Beyond the maximum, the oldest value is evicted. */
export class Expiring<Value> {
  private readonly entries = new Map<string, Entry<Value>>()

  constructor(private readonly most: number) {}

  set(key: string, value: Value, endSeconds: number): void {
    setBounded(this.entries, key, { value, endSeconds }, this.most)
  }

  get(key: string, nowSeconds: number): Value | undefined {
    const entry = this.entries.get(key)
    return entry !== undefined && entry.endSeconds > nowSeconds ? entry.value : undefined
  }

  delete(key: string): void {
    this.entries.delete(key)
  }
}
