import { Alert, Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, fromNow, words } from '../../words/words.ts'

interface NoteProps {
  /** When voting opens, if it is not open yet. */
  readonly opensAt: string | null
  /** The list whose codes can vote. */
  readonly codeList?: string | null | undefined
  readonly onShare: () => void
  readonly onClose: () => void
}

/** Whether the form that published the poll or the campaign has led here. */
export const wasPublished = (): boolean => (history.state as { isPublished?: boolean } | null)?.isPublished === true

/** After publishing: the way to voters. */
export function PublishedNote({ opensAt, codeList, onShare, onClose }: NoteProps) {
  const { slug } = useBrand()
  const { poll, common, nav } = words()
  const { live } = resultWords()
  return (
    <Alert
      color="teal"
      role="status"
      title={opensAt ? live.soonTitle : live.title}
      withCloseButton
      closeButtonLabel={common.close}
      onClose={onClose}
    >
      <Group gap="sm">
        {opensAt && <Text size="sm">{filled(live.soon, { when: fromNow(opensAt) })}</Text>}
        {!opensAt && !codeList && <Text size="sm">{live.text}</Text>}
        {codeList && (
          <>
            <Text size="sm">{live.byCode}</Text>
            <Button
              size="xs"
              renderRoot={(props) => (
                <Link {...props} to="/$brand/codes/$list" params={{ brand: slug, list: codeList }} />
              )}
            >
              {nav.codes}
            </Button>
          </>
        )}
        <Button size="xs" variant={codeList ? 'default' : 'filled'} onClick={onShare}>
          {poll.share}
        </Button>
      </Group>
    </Alert>
  )
}
