import { Alert, Badge, Button, Checkbox, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { App, AppCreate, AppWithSecret } from '../../../sdk/src/index.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Icon } from '../parts/icons.tsx'
import { RowList } from '../parts/lists/row-list.tsx'
import { fieldErrorsOf, messageOf } from '../parts/messages/messages.ts'
import { toast, toastFailure } from '../parts/messages/toasts.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import { accountWords } from '../words/account-words.ts'
import { fromNow, isolated, words } from '../words/words.ts'
import { Agents } from './keys/agents.tsx'

type Scope = App['scopes'][number]
const SCOPES: readonly Scope[] = ['view', 'vote', 'manage', 'analytics']
const OVERLAPS = [0, 3_600, 86_400] as const

const keysOf = (slug: string) => ['brand', slug, 'apps']

export function KeysPage() {
  const { slug, tossup, isOwner } = useBrand()
  const [isNew, setIsNew] = useState(false)
  const { keys } = accountWords()
  const apps = useQuery({
    queryKey: keysOf(slug),
    queryFn: async ({ signal }) => {
      const all: App[] = []
      for await (const app of tossup.listApps({ limit: 100 }, { signal })) all.push(app)
      return all
    },
    enabled: isOwner,
  })
  if (!isOwner)
    return (
      <Page title={accountWords().keys.title}>
        <Agents />
      </Page>
    )
  const newKey = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setIsNew(true)}>
      {keys.new}
    </Button>
  )
  return (
    <Page title={keys.title} text={keys.text} actions={newKey}>
      <RowList
        query={apps}
        items={apps.data}
        empty={
          <Empty icon="keys" title={keys.empty} text={keys.emptyText}>
            {newKey}
          </Empty>
        }
      >
        {(app) => <Key key={app.appId} app={app} />}
      </RowList>
      <Agents />
      {isNew && <NewKey onClose={() => setIsNew(false)} />}
    </Page>
  )
}

function Key({ app }: { readonly app: App }) {
  const [asked, setAsked] = useState<'rotate' | 'revoke' | null>(null)
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { common } = words()
  const { keys } = accountWords()
  const name = app.name ?? keys.unnamed
  const revoke = useMutation({
    mutationFn: () => tossup.revokeApp(app.appId),
    onSuccess() {
      toast(keys.revokedToast)
      setAsked(null)
      void client.invalidateQueries({ queryKey: keysOf(slug) })
    },
    onError: toastFailure,
  })
  const used = app.lastUsedAt ? fromNow(app.lastUsedAt) : common.never
  return (
    <li className="row">
      <div>
        <Text fw={600}>
          <bdi>{name}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          <code dir="ltr">{app.apiKeyId}</code> · {common.lastUsed}: {used}
        </Text>
        <Group gap={6} mt={6}>
          {app.scopes.map((scope) => (
            <Badge key={scope} variant="light" tt="none">
              {keys[`scope_${scope}`]}
            </Badge>
          ))}
        </Group>
      </div>
      {app.revokedAt === null ? (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setAsked('rotate')} aria-label={`${keys.rotate}: ${name}`}>
            {keys.rotate}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            onClick={() => setAsked('revoke')}
            aria-label={`${keys.revoke}: ${name}`}
          >
            {keys.revoke}
          </Button>
        </Group>
      ) : (
        <Badge variant="light" color="gray" tt="none">
          {keys.revoked}
        </Badge>
      )}
      {asked === 'rotate' && <RotateKey app={app} onClose={() => setAsked(null)} />}
      <Confirm
        isOpen={asked === 'revoke'}
        title={`${keys.revoke}: ${isolated(name)}`}
        text={keys.revokeText}
        action={keys.revoke}
        isPending={revoke.isPending}
        onConfirm={() => revoke.mutate()}
        onClose={() => setAsked(null)}
      />
    </li>
  )
}

/** The only moment at which the secret is seen. */
function Secret({ app, onClose }: { readonly app: AppWithSecret; readonly onClose: () => void }) {
  const { common } = words()
  const { keys } = accountWords()
  return (
    <Stack>
      <Alert color="yellow">{keys.created}</Alert>
      <CopyField label={keys.keyId} value={app.apiKeyId} />
      <CopyField label={keys.secret} value={app.apiKeySecret} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{common.done}</Button>
      </Group>
    </Stack>
  )
}

function RotateKey({ app, onClose }: { readonly app: App; readonly onClose: () => void }) {
  const { tossup } = useBrand()
  const [overlapSeconds, setOverlap] = useState<number>(OVERLAPS[1])
  const { common } = words()
  const { keys } = accountWords()
  const rotate = useMutation({
    mutationFn: () => tossup.rotateAppSecret(app.appId, { overlapSeconds }),
    onError: toastFailure,
  })
  return (
    <Modal opened onClose={onClose} title={`${keys.rotate}: ${isolated(app.name ?? keys.unnamed)}`} centered>
      {rotate.data ? (
        <Secret app={rotate.data} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">{keys.rotateText}</Text>
          <NativeSelect
            label={keys.overlap}
            value={String(overlapSeconds)}
            onChange={(event) => setOverlap(Number(event.currentTarget.value))}
            data={OVERLAPS.map((value) => ({ value: String(value), label: keys[`overlap_${value}`] }))}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
              {keys.rotate}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function NewKey({ onClose }: { readonly onClose: () => void }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<string[]>(['view', 'vote'])
  const { common } = words()
  const { keys } = accountWords()
  const create = useMutation({
    mutationFn: () => tossup.createApp({ name: name.trim(), scopes: scopes as AppCreate['scopes'] }),
    onSuccess: () => client.invalidateQueries({ queryKey: keysOf(slug) }),
  })
  const errors = fieldErrorsOf(create.error)
  const isSaidAtField = 'name' in errors || 'scopes' in errors
  return (
    <Modal opened onClose={onClose} title={keys.new} centered>
      {create.data ? (
        <Secret app={create.data} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            create.mutate()
          }}
        >
          <Stack>
            <TextInput
              label={common.name}
              required
              maxLength={80}
              data-autofocus
              value={name}
              error={errors['name']}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Checkbox.Group
              label={keys.scopes}
              description={keys.scopesText}
              value={scopes}
              onChange={setScopes}
              error={errors['scopes']}
            >
              <Group mt="xs">
                {SCOPES.map((scope) => (
                  <Checkbox key={scope} value={scope} label={keys[`scope_${scope}`]} />
                ))}
              </Group>
            </Checkbox.Group>
            {create.error && !isSaidAtField && <Alert color="red">{messageOf(create.error)}</Alert>}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {keys.create}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
