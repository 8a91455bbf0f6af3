import { answerOf, type CallOptions, type Endpoint, type Http, type Outgoing } from './http.ts'

/** A streaming answer: resolves with its head. Abort the signal to end it. */
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
