import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { timestamp, url } from '../../base/fields.ts'
import { publicPoll } from '../../events/resources/poll.ts'

const ORIGIN = 'polls.example.com/log/0b0f9c1e-5a57-4f6c-9a3e-2f1f6a4f8d11/k3x9qa'
const CHECKPOINT = `${ORIGIN}\n2\nKZ9bGmFq0Qm1k0C3mYyH0b6gk7q1cT0mU1bq2s8n3vA=\n\n— ${ORIGIN} 6Yk1zq2m…\n`
const NONCE = 'pT2rV9mD4kQ1xZ8cB6nL0w'
const COMMITMENT = 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'

const origin = z.string().meta({
  description: 'The name of the log, which its checkpoints begin with: its address without the scheme.',
  examples: [ORIGIN],
})

export const restart = z
  .object({
    origin,
    size: z.int().meta({ description: 'The votes in the last checkpoint that is known of it.', examples: [1_204] }),
    at: timestamp.describe('When it ended.'),
  })
  .meta({
    id: 'PollLogRestart',
    description: 'An earlier log of the poll. It ended when the service was restored, or the poll was imported.',
  })

const checkpoint = z.string().meta({
  description: 'A C2SP `tlog-checkpoint` in a signed note: origin, size and root hash, signed with Ed25519.',
  examples: [CHECKPOINT],
})

export const pollLog = z
  .object({
    url: url.meta({
      description:
        'The prefix of `/checkpoint`, `/tile/{L}/{N}`, `/tile/entries/{N}` (C2SP `tlog-tiles`) and `/bundle`.',
      examples: [`https://${ORIGIN}`],
    }),
    origin,
    publicKey: z.string().meta({
      description: 'The verifier key of the checkpoints, in the format of C2SP `signed-note`.',
      examples: [`${ORIGIN}+1d7f2b90+AWmJyTmM2b2i0c5mYQ1cU3m8G0v5g2v8mJr5Hq0p3d1E`],
    }),
    size: z.int().meta({ description: 'The votes in the checkpoint.', examples: [2] }),
    checkpoint,
    checkpointAt: timestamp.describe('When the checkpoint was made.'),
    startedAt: timestamp.describe('When the log began.'),
    restarts: z.array(restart).describe('Earlier logs of the poll, oldest first.'),
  })
  .meta({ id: 'PollLog', description: 'The transparency log of a poll: one entry for each vote, in their order.' })

export const receipt = z
  .object({
    nonce: z.string().meta({
      description: 'Known only to the voter and the service: 16 bytes in unpadded Base64url.',
      examples: [NONCE],
    }),
    commitment: z.string().meta({
      description: 'The SHA-256 of the bytes of the nonce, in unpadded Base64url: it is in the entry of the vote.',
      examples: [COMMITMENT],
    }),
    index: z
      .int()
      .nullable()
      .optional()
      .meta({
        description: 'The place of the entry in the log, from 0. Null until a checkpoint holds it.',
        examples: [1],
      }),
    proof: z
      .array(z.string())
      .nullable()
      .optional()
      .meta({
        description: 'The inclusion proof of RFC 6962: hashes in Base64. Null until a checkpoint holds the entry.',
        examples: [['KZ9bGmFq0Qm1k0C3mYyH0b6gk7q1cT0mU1bq2s8n3vA=']],
      }),
    checkpoint: checkpoint.nullable().optional().describe('The checkpoint of the proof, or null.'),
  })
  .meta({
    id: 'VoteReceipt',
    description:
      "What a voter needs to find their vote in the poll's log. While results are hidden from the public, it has only `nonce` and `commitment`.",
  })

/** The token of an owner's address follows the generation. */
export const logParams = z.object({ pollId: z.string(), generation: z.string() })

/** People keep such documents: members may be added, never changed or removed. */
export const BUNDLE_FORMAT = 'tossup-log-bundle/1'

export const bundle = z
  .object({
    format: z.literal(BUNDLE_FORMAT).describe('The format of this document.'),
    poll: publicPoll
      .pick({ id: true, slug: true, shortId: true, title: true })
      .extend({
        optionA: z.string().meta({ description: 'The label of option A.', examples: ['Tea'] }),
        optionB: z.string().meta({ description: 'The label of option B.', examples: ['Coffee'] }),
      })
      .describe('The poll at the time of the download. The log does not cover its texts.'),
    origin,
    publicKey: pollLog.shape.publicKey,
    checkpoint,
    restarts: pollLog.shape.restarts,
    entries: z
      .array(z.string())
      .meta({ description: 'All entries of the checkpoint.', examples: [[`tossup-vote/1 A ${COMMITMENT}`]] }),
  })
  .describe('All of a log in one document.')

export const presentRestarts = (
  rows: readonly { readonly origin: string; readonly size: number; readonly ended_at: number | null }[],
): z.infer<typeof restart>[] =>
  rows.map(({ origin: name, size, ended_at }) => ({ origin: name, size, at: iso(ended_at ?? 0) }))
