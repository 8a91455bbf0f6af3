import { answerOf, type CallOptions, type Endpoint, type Http, type Outgoing } from './http.ts'

/** An answer that goes on: only its head is waited for. Leave it by the signal. */
export const openAnswer = (
  http: Http,
  endpoint: Endpoint,
  { outgoing, options }: { outgoing: Outgoing; options: CallOptions | undefined },
): Promise<Response> =>
  http.insist(
    (identified) =>
      http.attempt({ endpoint, outgoing: identified, options }, async (response, attempt) => {
        if (!response.ok) await answerOf(response, outgoing)
        attempt.stopClock()
        return response
      }),
    outgoing,
    options,
  )
