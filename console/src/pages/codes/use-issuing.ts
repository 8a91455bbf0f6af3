import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useBrand } from '../../session/brand.ts'
import { codeListsKey } from './use-code-lists.ts'

/** The limit of one request. */
const MOST_AT_ONCE = 1_000
/** A long list meets the brand's limit of writes, which is over within a minute. */
const PATIENCE_MS = 90_000

interface Issuing {
  readonly codes: readonly string[]
  readonly wanted: number
  readonly isRunning: boolean
  readonly error: unknown
  readonly start: (count: number) => void
  /** Goes on after an error or a stop. */
  readonly resume: () => void
  readonly stop: () => void
  /** Forgets the codes. */
  readonly clear: () => void
}

const newKey = () => crypto.randomUUID()

/** Issues codes in steps. They are in the memory of this page and nowhere else in the browser. */
export function useIssuing(codeListId: string): Issuing {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const [codes, setCodes] = useState<readonly string[]>([])
  const [wanted, setWanted] = useState(0)
  const [isRunning, setIsRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const leaving = useRef(new AbortController())
  // A step whose answer was lost is repeated under its key, and answered with the codes that it issued.
  const step = useRef({ key: newKey(), count: 0 })
  useEffect(() => () => leaving.current.abort(), [])

  async function run(before: readonly string[], goal: number): Promise<void> {
    const leave = new AbortController()
    leaving.current = leave
    let issued = before
    setIsRunning(true)
    setError(null)
    try {
      while (issued.length < goal && !leave.signal.aborted) {
        if (step.current.count === 0) step.current.count = Math.min(MOST_AT_ONCE, goal - issued.length)
        const { key, count } = step.current
        const answer = await tossup.issueCodes(codeListId, { count }, { idempotencyKey: key, patienceMs: PATIENCE_MS })
        step.current = { key: newKey(), count: 0 }
        issued = [...issued, ...answer.codes]
        setCodes(issued)
      }
    } catch (failure) {
      setError(failure)
    }
    setIsRunning(false)
    void client.invalidateQueries({ queryKey: codeListsKey(slug) })
  }
  return {
    codes,
    wanted,
    isRunning,
    error,
    start(count) {
      setWanted(count)
      void run([], count)
    },
    resume: () => void run(codes, wanted),
    stop: () => leaving.current.abort(),
    clear() {
      setCodes([])
      setWanted(0)
      setError(null)
      step.current = { key: newKey(), count: 0 }
    },
  }
}
