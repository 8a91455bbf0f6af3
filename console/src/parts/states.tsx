import { Alert, Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { isTossupError } from '../../../sdk/src/index.ts'
import { isSignedOut } from '../service.ts'
import { filled, words } from '../words/words.ts'
import { Icon, type IconName } from './icons.tsx'
import { messageOf } from './messages/messages.ts'

export const Loading = ({ rows = 5 }: { readonly rows?: number }) => (
  <Stack gap="sm" role="status" aria-label={words().common.loading}>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
      <Skeleton key={row} height={44} radius="md" />
    ))}
  </Stack>
)

interface EmptyProps {
  readonly icon?: IconName
  /** Left out below a heading that says it. */
  readonly title?: string
  readonly text?: string
  readonly children?: ReactNode
}

export const Empty = ({ icon, title, text, children }: EmptyProps) => (
  <div className="empty">
    {icon && (
      <span className="empty-icon">
        <Icon name={icon} size={28} />
      </span>
    )}
    {title && (
      <Title order={2} size="h4">
        {title}
      </Title>
    )}
    {text && (
      <Text c="dimmed" size="sm" maw={380}>
        {text}
      </Text>
    )}
    {children}
  </div>
)

/** Explains a failed load: not found, not allowed, or worth another attempt. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { state, common } = words()
  // The sign-in dialog already covers this.
  if (isSignedOut(error)) return <Loading />
  const code = isTossupError(error) ? error.code : null
  if (code === 'NOT_FOUND') return <Empty icon="search" title={state.notFound} text={state.notFoundText} />
  if (code === 'SCOPE_REQUIRED' || code === 'ROLE_REQUIRED')
    return <Empty icon="user" title={state.noPermission} text={state.noPermissionText} />
  const requestId = isTossupError(error) ? error.requestId : null
  return (
    <Alert color="red" title={state.failed} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        {requestId && (
          <Text size="xs" c="dimmed">
            {filled(state.requestId, { id: requestId })}
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {common.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

export const NoPermission = () => (
  <Empty icon="user" title={words().state.noPermission} text={words().state.noPermissionText} />
)

export function OfflineNote() {
  const { online } = useNetwork()
  return (
    <div role="status">
      {!online && (
        <Alert color="yellow" mb="md">
          {words().state.offline}
        </Alert>
      )}
    </div>
  )
}
