import { z } from 'zod'
import { iso, isoOrNull } from '../../base/clock.ts'
import { count, nameText, timestamp } from '../../base/fields.ts'
import { engineNames } from '../../db/store.ts'
import { FINDINGS, findingsOf } from './findings.ts'
import { type brandsPage, MOST_COUNTED } from './queries.ts'
import type { ServiceState } from './service-state.ts'

const time = (description: string) => timestamp.nullable().describe(description)
const bytes = (description: string) => count.meta({ description, examples: [52_428_800] })

const finding = z
  .object({
    code: z.enum(Object.keys(FINDINGS) as [keyof typeof FINDINGS]).meta({
      description: `What was found. ${Object.entries(FINDINGS)
        .map(([code, { about }]) => `\`${code}\`: ${about}`)
        .join(' ')}`,
      examples: ['disk_low'],
    }),
    level: z
      .enum(['warning', 'fault'])
      .meta({ description: '`fault`: something does not work. `warning`: it soon may not.', examples: ['warning'] }),
  })
  .meta({ id: 'ServiceFinding', description: 'Something that an operator should look at.' })

const versions = z.object({
  tossup: z.string().meta({ description: 'The version of the server.', examples: ['0.1.0'] }),
  bun: z.string().meta({ description: 'The version of Bun.', examples: ['1.4.5'] }),
  engine: z.enum(engineNames).describe('The kind of the database.'),
  database: z.string().meta({ description: 'The version of the database.', examples: ['3.51.0'] }),
  schema: z.string().meta({ description: 'The last migration of the database.', examples: ['0015-operators'] }),
})

const queues = z.object({
  votes: count.meta({ description: 'Votes waiting for their commit.', examples: [0] }),
  mostVotes: count.meta({ description: 'At this number further votes are refused.', examples: [20_000] }),
  events: count.meta({
    description: 'Events not yet turned into deliveries, counted up to 1,000.',
    examples: [0],
  }),
  deliveries: count.meta({ description: 'Unfinished deliveries, counted up to 10,000.', examples: [3] }),
  lagSeconds: z
    .number()
    .nonnegative()
    .meta({ description: 'How long the oldest event or delivery has been due.', examples: [0.4] }),
  failingWebhooks: count.meta({
    description: `Webhooks whose last attempts failed, counted up to ${MOST_COUNTED}.`,
    examples: [1],
  }),
  failingJobs: z
    .array(z.string())
    .meta({ description: 'Background jobs whose last run failed.', examples: [['pictures']] }),
})

const audit = z.object({
  endedAt: time('When the last audit ended; null before the first since the start.'),
  differing: count.meta({ description: 'Polls whose tally differs from their votes.', examples: [0] }),
})

const backups = z.object({
  enabled: z.boolean().meta({ description: 'Whether `BACKUP_URL` is set.', examples: [true] }),
  lastAt: time('The time of the newest complete backup in `BACKUP_URL`; null if none is known.'),
  nextAt: time('When the next backup is due; null if none is known.'),
  failure: z
    .string()
    .nullable()
    .meta({
      description: 'Why the last attempt failed; null if it did not.',
      examples: [null],
    }),
})

const disk = z.object({
  freeBytes: bytes('Free bytes on the disk of `DATA_DIR`.'),
  totalBytes: bytes('The size of that disk.'),
  databaseBytes: bytes('The size of the database.'),
})

const openFiles = z.object({
  open: count
    .nullable()
    .meta({ description: 'Files and connections of the process; null where unknown.', examples: [42] }),
  limit: count
    .nullable()
    .meta({ description: 'How many it may have; null where there is no limit.', examples: [65_536] }),
})

export const serviceAnswer = z
  .object({
    ready: z.boolean().meta({ description: 'Whether a vote could be stored now.', examples: [true] }),
    startedAt: timestamp.describe('When the server started.'),
    versions: versions.describe('What runs.'),
    queues: queues.describe('What waits. Numbers of webhooks are some seconds old.'),
    audit: audit.describe('The result of the last recount of votes.'),
    backups: backups.describe('Backups that the server makes by itself.'),
    disk: disk.describe('The room on the disk.'),
    openFiles: openFiles.describe('Open files and connections.'),
    untrustedProxy: z
      .string()
      .nullable()
      .meta({
        description: 'The setting to change if a proxy that is not trusted forwards visitors; null if none was seen.',
        examples: ['TRUSTED_PROXIES=10.0.0.7'],
      }),
    integrityAlerts: count.meta({
      description: `Polls whose votes looked conspicuous within a day, counted up to ${MOST_COUNTED}.`,
      examples: [0],
    }),
    findings: z.array(finding).describe('What to look at, faults first; empty if all is well.'),
  })
  .meta({ id: 'ServiceState', description: 'The state of the server that answers, and of its database.' })

export const servedBrandsQuery = z.object({
  q: nameText(1, 100)
    .optional()
    .meta({
      description: 'Only brands whose slug or name contains this. The letters A to Z match in any case.',
      examples: ['cafe'],
    }),
})

export const servedBrand = z
  .object({
    slug: z.string().meta({ description: 'The slug of the brand.', examples: ['corner-cafe'] }),
    name: z.string().meta({ description: 'Its name.', examples: ['Corner Cafe'] }),
    createdAt: timestamp.describe('When it was created.'),
    polls: count.meta({ description: `Its polls, counted up to ${MOST_COUNTED}.`, examples: [12] }),
    votes: count.meta({ description: 'All votes, some seconds old.', examples: [48_210] }),
    votesOfDay: count.meta({ description: 'Votes of the last 24 hours, to the hour.', examples: [930] }),
  })
  .meta({ id: 'ServedBrand', description: 'A brand with its volumes, and nothing of its content.' })

type BrandRow = Awaited<ReturnType<typeof brandsPage>>['rows'][number]

export const presentBrand = (row: BrandRow): z.infer<typeof servedBrand> => ({
  slug: row.slug,
  name: row.name,
  createdAt: iso(row.created_at),
  polls: row.polls,
  votes: row.votes,
  votesOfDay: row.votes_of_day,
})

export function presentState(state: ServiceState): z.infer<typeof serviceAnswer> {
  const { startedAt, audit: audited, backups: backedUp, ...rest } = state
  return {
    ready: rest.isReady,
    startedAt: iso(startedAt),
    versions: rest.versions,
    queues: rest.queues,
    audit: { endedAt: isoOrNull(audited.endedAt), differing: audited.differing },
    backups: {
      enabled: backedUp.isOn,
      lastAt: isoOrNull(backedUp.lastAt),
      nextAt: isoOrNull(backedUp.nextAt),
      failure: backedUp.failure,
    },
    disk: rest.disk,
    openFiles: rest.openFiles,
    untrustedProxy: rest.untrustedProxy,
    integrityAlerts: rest.integrityAlerts,
    findings: findingsOf(state),
  }
}
