import { Badge, Group, Paper, Text, Title } from '@mantine/core'
import type { ServiceState } from '../../../../sdk/src/index.ts'
import { Icon } from '../../parts/icons.tsx'
import { serviceWords } from '../../words/service-words.ts'
import { filled, moment } from '../../words/words.ts'
import { inBytes } from './in-bytes.ts'

type Finding = ServiceState['findings'][number]

const COLORS = { fault: 'red', warning: 'yellow' } as const

/** The values that the words of some findings name. */
const valuesOf = ({ disk, backups, queues, audit, openFiles, ...state }: ServiceState) => ({
  size: inBytes(disk.freeBytes),
  reason: backups.failure ?? '',
  when: backups.lastAt === null ? '' : moment(backups.lastAt),
  setting: state.untrustedProxy ?? '',
  minutes: Math.floor(queues.lagSeconds / 60),
  jobs: queues.failingJobs.join(', '),
  open: openFiles.open ?? 0,
  limit: openFiles.limit ?? 0,
  integrity_alerts: state.integrityAlerts,
  tally_drift: audit.differing,
  webhooks_failing: queues.failingWebhooks,
})

function adviceOf({ code }: Finding, state: ServiceState): string {
  const values = valuesOf(state)
  const count = code in values ? values[code as keyof typeof values] : 0
  return filled(serviceWords()[`advice_${code}`], { ...values, count })
}

export function ServiceFindings({ state }: { readonly state: ServiceState }) {
  const its = serviceWords()
  if (state.findings.length === 0)
    return (
      <Paper withBorder p="md" component="section" className="service-well">
        <Icon name="check" size={24} />
        <div>
          <Title order={2} size="h5">
            {its.well}
          </Title>
          <Text size="sm" c="dimmed">
            {its.wellText}
          </Text>
        </div>
      </Paper>
    )
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5">
        {its.findings}
      </Title>
      <ul className="plain">
        {state.findings.map((finding) => (
          <li key={finding.code} className="row">
            <div className="grow">
              <Group gap="xs">
                <Text fw={600}>{its[`finding_${finding.code}`]}</Text>
                <Badge color={COLORS[finding.level]} variant="light" tt="none" fw={600}>
                  {its[finding.level]}
                </Badge>
              </Group>
              <Text size="sm" c="dimmed" className="service-advice">
                {adviceOf(finding, state)}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </Paper>
  )
}
