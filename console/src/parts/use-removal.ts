import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { toast, toastFailure } from './messages/toasts.tsx'

interface Removal {
  readonly remove: () => Promise<unknown>
  /** Leaves the page of what is gone. */
  readonly leave: () => Promise<void>
  /** Read again afterwards. */
  readonly queryKey: QueryKey
  readonly said: string
}

/** Removes what the page shows, and leaves the page. */
export function useRemoval({ remove, leave, queryKey, said }: Removal) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: remove,
    async onSuccess() {
      await leave()
      void client.invalidateQueries({ queryKey })
      toast(said)
    },
    onError: toastFailure,
  })
}
