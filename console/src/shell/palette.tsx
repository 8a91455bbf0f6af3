import { Modal, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { Icon, type IconName } from '../parts/icons.tsx'
import { useBrand } from '../session/brand.ts'
import { useSession } from '../session/use-session.ts'
import { words } from '../words/words.ts'
import { PLACES } from './places.ts'
import { Shortcuts } from './shortcuts.tsx'

interface Hit {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  readonly go: () => void
}

interface PaletteProps {
  readonly shown: 'finder' | 'shortcuts' | null
  readonly onClose: () => void
}

/** The dialogs of the keyboard: one finds anything, the other shows the shortcuts. */
export function Palette({ shown, onClose }: PaletteProps) {
  const { palette, shortcuts } = words()
  return (
    <>
      <Modal opened={shown === 'finder'} onClose={onClose} title={palette.title}>
        <Finder onDone={onClose} />
      </Modal>
      <Modal opened={shown === 'shortcuts'} onClose={onClose} title={shortcuts.title}>
        <Shortcuts />
      </Modal>
    </>
  )
}

/** The service searches polls; of the others a brand has few, and the newest are searched here. */
const MOST_LISTED = 100
const MOST_OTHERS = 6

function useHits(text: string, onDone: () => void): readonly Hit[] {
  const { slug, role, mayEdit, tossup } = useBrand()
  const { data: session } = useSession()
  const navigate = useNavigate()
  const [q] = useDebouncedValue(text.trim(), 200)
  const found = useQuery({
    queryKey: ['brand', slug, 'find', q],
    queryFn: ({ signal }) => tossup.listOwnPolls({ q, limit: 6 }, { signal }).page(),
    enabled: mayEdit && q !== '',
  })
  const listed = useQuery({
    queryKey: ['brand', slug, 'find'],
    async queryFn({ signal }) {
      const [campaigns, webhooks] = await Promise.all([
        tossup.listOwnCampaigns({ limit: MOST_LISTED }, { signal }).page(),
        tossup.listWebhooks({ limit: MOST_LISTED }, { signal }).page(),
      ])
      return { campaigns: campaigns.data, webhooks: webhooks.data }
    },
    enabled: mayEdit,
  })
  const params = { brand: slug }
  const { nav } = words()
  const places = PLACES.filter(({ isFor, name }) => isFor(role) && nav[name].toLowerCase().includes(text.toLowerCase()))
  const pages = places.map(({ name, to }): Hit => {
    const go = () => void navigate({ to, params }).then(onDone)
    return { id: name, icon: name, label: nav[name], go }
  })
  if (session?.operator && nav.service.toLowerCase().includes(text.toLowerCase())) {
    const go = () => void navigate({ to: '/_service' }).then(onDone)
    pages.push({ id: 'service', icon: 'service', label: nav.service, go })
  }
  const polls = (q === '' ? [] : (found.data?.data ?? [])).map(({ id, title, shortId: poll }): Hit => {
    const go = () => void navigate({ to: '/$brand/polls/$poll', params: { ...params, poll } }).then(onDone)
    return { id, icon: 'polls', label: title, go }
  })
  const isMeant = (name: string) => text.trim() !== '' && name.toLowerCase().includes(text.trim().toLowerCase())
  const { campaigns = [], webhooks = [] } = listed.data ?? {}
  const others = [
    ...campaigns.map(({ campaignId, title }): Hit => {
      const to = { to: '/$brand/campaigns/$campaign', params: { ...params, campaign: campaignId } } as const
      return { id: campaignId, icon: 'campaigns', label: title, go: () => void navigate(to).then(onDone) }
    }),
    ...webhooks.map(({ id, description, url }): Hit => {
      const to = { to: '/$brand/webhooks/$webhook', params: { ...params, webhook: id } } as const
      return { id, icon: 'webhooks', label: description || url, go: () => void navigate(to).then(onDone) }
    }),
  ].filter(({ label }) => isMeant(label))
  return [...pages, ...polls, ...others.slice(0, MOST_OTHERS)]
}

function Finder({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const hits = useHits(text, onDone)
  const { palette } = words()
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt((at + step + hits.length) % Math.max(1, hits.length))
    }
    if (event.key === 'Enter') hits[at]?.go()
  }
  return (
    <Stack gap="xs">
      <TextInput
        aria-label={palette.placeholder}
        placeholder={palette.placeholder}
        value={text}
        data-autofocus
        dir="auto"
        role="combobox"
        aria-expanded
        aria-controls="palette-hits"
        aria-activedescendant={hits[at] ? `palette-${hits[at].id}` : undefined}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-hits" role="listbox" aria-label={palette.title}>
        {hits.map(({ id, icon, label, go }, index) => (
          <UnstyledButton
            key={id}
            id={`palette-${id}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            className="hit"
            onClick={go}
          >
            <Icon name={icon} size={16} />
            <bdi>{label}</bdi>
          </UnstyledButton>
        ))}
      </div>
      {hits.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          {palette.none}
        </Text>
      )}
    </Stack>
  )
}
