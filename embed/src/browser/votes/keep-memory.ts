import { DEVICE_KEY } from '../../../../sdk/src/device.ts'
import type { KeyValueStore } from '../../../../sdk/src/storage.ts'

const DENIER = ':is(tossup-poll, tossup-campaign, tossup-feed)[storage="none"]'

/**
 * Stores what the page remembered before it had consent, beside what an earlier visit has stored. Returns false where
 * another element still denies it.
 */
export function keepMemory(memory: Map<string, string>, kept: KeyValueStore): boolean {
  if (document.querySelector(DENIER)) return false
  for (const [key, value] of memory) {
    const stored = kept.getItem(key) as string | null
    void kept.setItem(key, stored ? merged(key, stored, value) : value)
  }
  memory.clear()
  return true
}

/** One device, the waiting votes as JSON, or ids of polls. */
function merged(key: string, stored: string, value: string): string {
  if (key === DEVICE_KEY) return stored
  return value.startsWith('[') ? JSON.stringify([...JSON.parse(stored), ...JSON.parse(value)]) : `${stored} ${value}`
}
