import { type RefObject, useEffect, useRef } from 'react'

/** What was given last, for effects that shall not begin anew because of it. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
