import { useCallback, useRef, useState } from 'react'
import { focusFirstProblem } from '../focus-first-problem.ts'
import type { FieldErrors } from '../messages/messages.ts'

/** The state of a form: what its author has typed, whether that is unsaved, and what it lacks. */
export function useDraft<Draft extends object>(first: () => Draft, problemsOf: (draft: Draft) => FieldErrors) {
  const [draft, setDraft] = useState(first)
  const [problems, setProblems] = useState<FieldErrors>({})
  const isChanged = useRef(false)

  const change = useCallback((changed: Partial<Draft>) => {
    isChanged.current = true
    setDraft((before) => ({ ...before, ...changed }))
  }, [])

  /** Starts again from what is stored now. */
  function restart(stored: Draft): void {
    isChanged.current = false
    setDraft(stored)
    setProblems({})
  }

  /** Shows what is wrong. True if nothing is. */
  function isComplete(): boolean {
    const found = problemsOf(draft)
    setProblems(found)
    if (Object.keys(found).length === 0) return true
    focusFirstProblem()
    return false
  }
  return { draft, problems, isChanged, change, restart, isComplete }
}
