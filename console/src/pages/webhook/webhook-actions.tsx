import { Button, Group, Menu, Modal } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { useRemoval } from '../../parts/use-removal.ts'
import { useBrand } from '../../session/brand.ts'
import { webhookWords } from '../../words/webhook-words.ts'
import { words } from '../../words/words.ts'
import { WebhookSecret } from '../webhooks/webhook-secret.tsx'

type WebhookQuestion = 'pause' | 'rotate' | 'delete' | null

export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<WebhookQuestion>(null)
  const { common } = words()
  const its = webhookWords()
  const close = () => setAsked(null)
  const readAgain = () => client.invalidateQueries({ queryKey: ['brand', slug] })

  const update = useMutation({
    mutationFn: (status: Webhook['status']) => tossup.updateWebhook(webhook.id, { status }),
    onSuccess(_changed, status) {
      toast(status === 'ACTIVE' ? its.resumed : its.paused)
      close()
      void readAgain()
    },
    onError: toastFailure,
  })
  const rotate = useMutation({
    mutationFn: () => tossup.rotateWebhookSecret(webhook.id),
    onSuccess() {
      close()
      void readAgain()
    },
    onError: toastFailure,
  })
  const remove = useRemoval({
    remove: () => tossup.deleteWebhook(webhook.id),
    leave: () => navigate({ to: '/$brand/webhooks', params: { brand: slug } }),
    queryKey: ['brand', slug],
    said: its.deleted,
  })
  const isActive = webhook.status === 'ACTIVE'
  return (
    <>
      <MoreMenu>
        {isActive ? (
          <Menu.Item onClick={() => setAsked('pause')}>{its.pause}</Menu.Item>
        ) : (
          <Menu.Item onClick={() => update.mutate('ACTIVE')}>{its.resume}</Menu.Item>
        )}
        <Menu.Item onClick={() => setAsked('rotate')}>{its.rotate}</Menu.Item>
        <Menu.Item color="red" onClick={() => setAsked('delete')}>
          {its.delete}
        </Menu.Item>
      </MoreMenu>
      <Confirm
        isOpen={asked === 'pause'}
        text={its.pauseText}
        action={its.pause}
        isPending={update.isPending}
        onConfirm={() => update.mutate('DISABLED')}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'rotate'}
        text={its.rotateText}
        action={its.rotate}
        isPending={rotate.isPending}
        onConfirm={() => rotate.mutate()}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'delete'}
        text={its.deleteText}
        action={its.delete}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
      {rotate.data && (
        <Modal opened onClose={rotate.reset} title={its.rotated} centered>
          <WebhookSecret webhook={rotate.data} />
          <Group justify="flex-end" mt="md">
            <Button onClick={rotate.reset}>{common.done}</Button>
          </Group>
        </Modal>
      )}
    </>
  )
}
