import {
  Alert,
  Badge,
  Button,
  Group,
  Modal,
  NativeSelect,
  Paper,
  Radio,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Member } from '../../../sdk/src/index.ts'
import { CONFIG } from '../config.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Icon } from '../parts/icons.tsx'
import { RowList } from '../parts/lists/row-list.tsx'
import { messageOf } from '../parts/messages/messages.ts'
import { toast, toastFailure } from '../parts/messages/toasts.tsx'
import { Page } from '../parts/page.tsx'
import { Failed } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import type { Role } from '../session/use-session.ts'
import { accountWords } from '../words/account-words.ts'
import { filled, fromNow, words } from '../words/words.ts'

const ROLES: readonly Role[] = ['owner', 'editor', 'analyst']

export function PeoplePage() {
  const { slug, tossup, isOwner } = useBrand()
  const [isInviting, setIsInviting] = useState(false)
  const { people } = accountWords()
  const members = useQuery({
    queryKey: ['brand', slug, 'members'],
    queryFn: async ({ signal }) => {
      const all: Member[] = []
      for await (const member of tossup.listMembers({ limit: 100 }, { signal })) all.push(member)
      return all
    },
  })
  const invite = isOwner && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setIsInviting(true)}>
      {people.invite}
    </Button>
  )
  return (
    <Page title={people.title} text={people.text} actions={invite}>
      <Stack>
        <RowList query={members} items={members.data} empty={null}>
          {(member) => <Person key={member.memberId} member={member} />}
        </RowList>
        {isOwner && <Invitations />}
      </Stack>
      {isInviting && <Invite onClose={() => setIsInviting(false)} />}
    </Page>
  )
}

function Person({ member: { memberId, email, name, role, lastSeenAt } }: { readonly member: Member }) {
  const { slug, tossup, isOwner, memberId: ownId } = useBrand()
  const client = useQueryClient()
  const [isRemoving, setIsRemoving] = useState(false)
  const { role: roles, common } = words()
  const { people } = accountWords()
  const refresh = () => client.invalidateQueries({ queryKey: ['brand', slug, 'members'] })
  const isOwn = memberId === ownId
  const change = useMutation({
    mutationFn: (next: Role) => tossup.updateMember(memberId, { role: next }),
    async onSuccess() {
      toast(people.changed)
      await refresh()
      // One's own role decides what is shown.
      if (isOwn) await client.invalidateQueries({ queryKey: ['session'] })
    },
    onError: toastFailure,
  })
  const remove = useMutation({
    mutationFn: () => tossup.removeMember(memberId),
    async onSuccess() {
      if (isOwn) return location.assign('/console')
      toast(people.removed)
      await refresh()
    },
    onError: toastFailure,
    onSettled: () => setIsRemoving(false),
  })
  return (
    <li className="row">
      <div>
        <Group gap="xs">
          <Text fw={600}>
            <bdi>{name ?? email}</bdi>
          </Text>
          {isOwn && (
            <Badge variant="light" color="gray" tt="none">
              {common.you}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {name && <bdi>{email} · </bdi>}
          {lastSeenAt ? filled(people.lastSeen, { when: fromNow(lastSeenAt) }) : people.notSeen}
        </Text>
      </div>
      {isOwner ? (
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label={filled(people.roleOf, { email })}
            value={role}
            disabled={change.isPending}
            onChange={(event) => change.mutate(event.currentTarget.value as Role)}
            data={ROLES.map((value) => ({ value, label: roles[value] }))}
          />
          <Button
            size="xs"
            variant="subtle"
            color="red"
            aria-label={`${common.remove}: ${email}`}
            onClick={() => setIsRemoving(true)}
          >
            {common.remove}
          </Button>
        </Group>
      ) : (
        <Badge variant="light" tt="none">
          {roles[role]}
        </Badge>
      )}
      <Confirm
        isOpen={isRemoving}
        title={filled(people.removeTitle, { email })}
        text={people.removeText}
        action={common.remove}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setIsRemoving(false)}
      />
    </li>
  )
}

function Invitations() {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { role: roles } = words()
  const { people } = accountWords()
  const queryKey = ['brand', slug, 'invitations']
  const invitations = useQuery({
    queryKey,
    queryFn: ({ signal }) => tossup.listInvitations({ limit: 100 }, { signal }).page(),
  })
  const withdraw = useMutation({
    mutationFn: (id: string) => tossup.deleteInvitation(id),
    onSuccess() {
      toast(people.withdrawn)
      void client.invalidateQueries({ queryKey })
    },
    onError: toastFailure,
  })
  if (invitations.error) return <Failed error={invitations.error} onRetry={() => void invitations.refetch()} />
  if (!invitations.data || invitations.data.data.length === 0) return null
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5">
        {people.invitations}
      </Title>
      <ul className="plain">
        {invitations.data.data.map(({ invitationId, email, role, expiresAt }) => (
          <li key={invitationId} className="row">
            <div>
              <bdi>{email}</bdi>
              <Text size="xs" c="dimmed">
                {roles[role]} · {filled(people.expires, { when: fromNow(expiresAt) })}
              </Text>
            </div>
            <Button
              size="xs"
              variant="subtle"
              color="red"
              aria-label={`${people.withdraw}: ${email}`}
              onClick={() => withdraw.mutate(invitationId)}
            >
              {people.withdraw}
            </Button>
          </li>
        ))}
      </ul>
    </Paper>
  )
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('editor')
  const { role: roles, common } = words()
  const { people } = accountWords()
  const invite = useMutation({
    mutationFn: () => tossup.createInvitation({ email: email.trim(), role }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['brand', slug, 'invitations'] }),
  })
  return (
    <Modal opened onClose={onClose} title={people.inviteTitle} centered>
      {invite.data ? (
        <Stack>
          <Alert color="teal">
            {filled(CONFIG.hasMail ? people.invitedMail : people.invited, { email: invite.data.email })}
          </Alert>
          <CopyField label={people.inviteTitle} value={invite.data.url} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{common.done}</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            invite.mutate()
          }}
        >
          <Stack>
            <TextInput
              label={people.email}
              type="email"
              required
              data-autofocus
              value={email}
              error={invite.isError && messageOf(invite.error)}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Radio.Group label={people.role} value={role} onChange={(value) => setRole(value as Role)}>
              <Stack gap="xs" mt="xs">
                {ROLES.map((value) => (
                  <Radio key={value} value={value} label={roles[value]} description={people[`role_${value}`]} />
                ))}
              </Stack>
            </Radio.Group>
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={invite.isPending}>
                {people.send}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
