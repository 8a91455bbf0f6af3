import type { Service, Tallies } from './service.ts'

interface Told {
  readonly status: 'open' | 'closed' | 'scheduled'
  readonly tallies: Tallies
}

/** Follows the counts of a poll while somebody may be looking. Returns what ends it. */
export function followTallies(service: Service, poll: string, onTold: (told: Told) => void): () => void {
  let source: EventSource | null = null

  function look(): void {
    source?.close()
    source = document.hidden ? null : new EventSource(service.streamUrl(poll))
    source?.addEventListener('tallies', (event) => onTold(JSON.parse(event.data)))
  }

  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    source?.close()
  }
}
