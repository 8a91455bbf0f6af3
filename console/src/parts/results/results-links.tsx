import { Alert, Button, Group, Modal, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Tossup } from '../../../../sdk/src/index.ts'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, fromNow } from '../../words/words.ts'
import { CopyField } from '../copy-field.tsx'
import { messageOf } from '../messages/messages.ts'
import { toast, toastFailure } from '../messages/toasts.tsx'
import { Failed, Loading } from '../states.tsx'

/** The poll or the campaign whose results are shared. */
export interface Shareable {
  readonly kind: 'poll' | 'campaign'
  readonly id: string
}

const DAY_MS = 86_400_000
/** Days until a link ends; 0 for a link that ends with what it shows. */
const DAYS = ['30', '7', '1', '0'] as const
/** A poll or a campaign has no more links than a page of the list. */
const MOST_LINKS = 100

const expiryOf = (days: (typeof DAYS)[number]): string | null =>
  days === '0' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()

const callsOf = (tossup: Tossup, { kind, id }: Shareable) =>
  kind === 'poll'
    ? {
        list: (signal: AbortSignal) => tossup.listPollResultsLinks(id, { limit: MOST_LINKS }, { signal }).page(),
        create: (expiresAt: string | null) => tossup.createPollResultsLink(id, { expiresAt }),
        end: (linkId: string) => tossup.deletePollResultsLink(id, linkId),
      }
    : {
        list: (signal: AbortSignal) => tossup.listCampaignResultsLinks(id, { limit: MOST_LINKS }, { signal }).page(),
        create: (expiresAt: string | null) => tossup.createCampaignResultsLink(id, { expiresAt }),
        end: (linkId: string) => tossup.deleteCampaignResultsLink(id, linkId),
      }

interface LinksProps {
  readonly of: Shareable
  readonly onClose: () => void
}

/** Links to the results, for people without an account. The address of a link is shown once. */
export function ResultsLinks({ of, onClose }: LinksProps) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const its = resultWords().links
  const [days, setDays] = useState<(typeof DAYS)[number]>('30')
  const { list, create, end } = callsOf(tossup, of)
  const queryKey = ['brand', slug, 'results links', of.kind, of.id]
  const refresh = () => client.invalidateQueries({ queryKey })
  const links = useQuery({ queryKey, queryFn: ({ signal }) => list(signal) })
  const creating = useMutation({ mutationFn: () => create(expiryOf(days)), onSuccess: refresh })
  const ending = useMutation({
    mutationFn: end,
    onSuccess() {
      toast(its.ended)
      void refresh()
    },
    onError: toastFailure,
  })
  return (
    <Modal opened onClose={onClose} title={its.title} size="lg">
      <Stack>
        <Alert color="yellow">{its.text}</Alert>
        <Group align="flex-end" gap="xs">
          <NativeSelect
            className="grow"
            label={its.expires}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value as (typeof DAYS)[number])}
            data={DAYS.map((value) => ({ value, label: its[`expires_${value}`] }))}
          />
          <Button loading={creating.isPending} onClick={() => creating.mutate()}>
            {its.create}
          </Button>
        </Group>
        {creating.error && (
          <Alert color="red" role="alert">
            {messageOf(creating.error)}
          </Alert>
        )}
        {creating.data && <CopyField label={its.link} text={its.made} value={creating.data.url} />}
        <div>
          <Title order={3} size="h6">
            {its.open}
          </Title>
          {links.isPending && <Loading rows={1} />}
          {links.error && <Failed error={links.error} onRetry={() => void links.refetch()} />}
          {links.data?.data.length === 0 && (
            <Text size="sm" c="dimmed">
              {its.none}
            </Text>
          )}
          <ul className="plain">
            {links.data?.data.map(({ linkId, createdAt, expiresAt }) => (
              <li key={linkId} className="row">
                <div>
                  <Text size="sm">{filled(its.created, { when: fromNow(createdAt) })}</Text>
                  <Text size="xs" c="dimmed">
                    {expiresAt === null ? its.lasting : filled(its.ends, { when: fromNow(expiresAt) })}
                  </Text>
                </div>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={filled(its.endOf, { when: fromNow(createdAt) })}
                  onClick={() => ending.mutate(linkId)}
                >
                  {its.end}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      </Stack>
    </Modal>
  )
}
