import { type RefObject, useEffect, useRef } from 'react'

/** A ref to the latest value, for effects that must not restart when the value changes. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
