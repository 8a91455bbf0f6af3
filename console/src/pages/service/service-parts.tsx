import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ServiceState } from '../../../../sdk/src/index.ts'
import { Section } from '../../parts/section.tsx'
import { serviceWords } from '../../words/service-words.ts'
import { count, filled, fromNow, language, moment } from '../../words/words.ts'
import { inBytes } from './in-bytes.ts'

type Line = readonly [name: string, value: ReactNode]

function Part({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) {
  return (
    <Section title={title}>
      <dl className="details">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={moment(at)}>
    {fromNow(at)}
  </time>
)

const timeOr = (at: string | null, otherwise: string): ReactNode => (at === null ? otherwise : <Time at={at} />)

/** Counts of the interface end there. */
const BOUNDS = { events: 1_000, deliveries: 10_000, others: 1_000 } as const

export const bounded = (value: number, most: number = BOUNDS.others): string =>
  value < most ? count(value) : filled(serviceWords().orMore, { count: most })

export function ServiceParts({ state }: { readonly state: ServiceState }) {
  const its = serviceWords()
  const { versions, queues, audit, backups, disk, openFiles } = state
  const parts: readonly (readonly [string, readonly Line[]])[] = [
    [
      its.health,
      [
        [its.votes, state.ready ? its.stored : its.refused],
        [its.waiting, filled(its.waitingOf, { count: queues.votes, most: queues.mostVotes })],
        [its.running, <Time key="time" at={state.startedAt} />],
        [its.openFiles, openFilesOf(openFiles)],
        [its.jobs, queues.failingJobs.length === 0 ? its.jobsWell : queues.failingJobs.join(', ')],
        [its.proxy, state.untrustedProxy === null ? its.proxyWell : <bdi key="line">{state.untrustedProxy}</bdi>],
      ],
    ],
    [
      its.versions,
      [
        ['Tossup', versions.tossup],
        ['Bun', versions.bun],
        [its.database, `${versions.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${versions.database}`],
        [its.schema, <bdi key="schema">{versions.schema}</bdi>],
      ],
    ],
    [
      its.webhooks,
      [
        [its.events, bounded(queues.events, BOUNDS.events)],
        [its.deliveries, bounded(queues.deliveries, BOUNDS.deliveries)],
        [its.lag, lagOf(queues.lagSeconds)],
        [its.failing, bounded(queues.failingWebhooks)],
      ],
    ],
    [
      its.audit,
      [
        [its.audited, timeOr(audit.endedAt, its.notYet)],
        [its.differing, count(audit.differing)],
        [its.conspicuous, bounded(state.integrityAlerts)],
      ],
    ],
    [
      its.backups,
      backups.enabled
        ? [
            [its.lastBackup, timeOr(backups.lastAt, its.none)],
            [its.lastAttempt, backups.failure === null ? its.attemptWell : its.attemptFailed],
            [its.nextBackup, timeOr(backups.nextAt, its.unknown)],
          ]
        : [[its.lastBackup, its.off]],
    ],
    [
      its.disk,
      [
        [its.free, filled(its.openOf, { open: inBytes(disk.freeBytes), limit: inBytes(disk.totalBytes) })],
        [its.size, inBytes(disk.databaseBytes)],
      ],
    ],
  ]
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {parts.map(([title, lines]) => (
        <Part key={title} title={title} lines={lines} />
      ))}
    </SimpleGrid>
  )
}

function openFilesOf({ open, limit }: ServiceState['openFiles']): string {
  const its = serviceWords()
  if (open === null) return its.unknown
  return limit === null ? count(open) : filled(its.openOf, { open, limit })
}

function lagOf(seconds: number): string {
  if (seconds === 0) return serviceWords().lagNone
  return new Intl.NumberFormat(language.lang, { style: 'unit', unit: 'second', maximumFractionDigits: 1 }).format(
    seconds,
  )
}
