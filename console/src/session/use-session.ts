import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Endpoints } from '../../../sdk/src/index.ts'
import { CONFIG } from '../config.ts'
import { forgetClients, isSignedOut, sessions } from '../service.ts'

export type OwnSession = Endpoints['GET /auth/session']['data']
export type Role = OwnSession['brands'][number]['role']

/**
 * The sign-in page does not ask where the answer would be a refusal. Only this page knows: a browser that follows a link of another
 * site sends no cookie for the document, but sends it for what the script asks. Later questions may follow a sign-in in another tab.
 */
let isAnswered = !CONFIG.hasSession && location.pathname.endsWith('/console/login')

/** Null where nobody is signed in. */
const sessionQuery = queryOptions({
  queryKey: ['session'],
  async queryFn({ signal }): Promise<OwnSession | null> {
    if (isAnswered) {
      isAnswered = false
      return null
    }
    try {
      return await sessions.read({ signal })
    } catch (error) {
      if (isSignedOut(error)) return null
      throw error
    }
  },
  staleTime: 60_000,
})

export const useSession = () => useQuery(sessionQuery)

const ENDED = ['session', 'ended']

/** True from the first answer that says that the session is over, until somebody has signed in again. */
export const useHasEnded = (): boolean =>
  useQuery({ queryKey: ENDED, queryFn: () => false, initialData: false, staleTime: Number.POSITIVE_INFINITY }).data

export const sessionHasEnded = (client: QueryClient) => client.setQueryData(ENDED, true)

/** After a sign-in: what failed for want of a session is read again. */
export async function sessionHasBegun(client: QueryClient): Promise<void> {
  forgetClients()
  isAnswered = false
  client.setQueryData(ENDED, false)
  await client.invalidateQueries()
}

export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => sessions.signOut(),
    onSuccess() {
      forgetClients()
      client.clear()
      location.assign('/console/login')
    },
  })
}
