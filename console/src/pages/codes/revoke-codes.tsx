import { Button, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { CodeList } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { toastFailure } from '../../parts/messages/toasts.tsx'
import { Section } from '../../parts/section.tsx'
import { useBrand } from '../../session/brand.ts'
import { codesWords } from '../../words/codes-words.ts'
import { filled } from '../../words/words.ts'
import { pastedCodes } from './issued-codes.ts'
import { codeListsKey } from './use-code-lists.ts'

/** The limit of one request. */
const MOST_AT_ONCE = 1_000

/** Revokes one code, or a pasted list of them. */
export function RevokeCodes({ list: { codeListId } }: { readonly list: CodeList }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const its = codesWords()
  const [text, setText] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const { codes, wrong } = useMemo(() => pastedCodes(text), [text])
  const revoking = useMutation({
    async mutationFn() {
      const sum = { revoked: 0, unknown: 0 }
      for (let at = 0; at < codes.length; at += MOST_AT_ONCE) {
        const { revoked, unknown } = await tossup.revokeCodes(codeListId, { codes: codes.slice(at, at + MOST_AT_ONCE) })
        sum.revoked += revoked
        sum.unknown += unknown
      }
      return sum
    },
    onSuccess: () => setText(''),
    onError: toastFailure,
    onSettled() {
      setIsAsked(false)
      void client.invalidateQueries({ queryKey: codeListsKey(slug) })
    },
  })
  const action = codes.length === 1 ? its.revokeOne : filled(its.revokeAction, { count: codes.length })
  const [firstWrong] = wrong
  return (
    <Section title={its.revoke}>
      <p className="note">{its.revokeText}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (codes.length > 0) setIsAsked(true)
        }}
      >
        <Stack gap="sm" align="flex-start">
          <Textarea
            className="codes-to-revoke"
            label={its.revokeLabel}
            description={its.revokeHint}
            dir="ltr"
            rows={4}
            autoComplete="off"
            spellCheck={false}
            value={text}
            error={text.trim() !== '' && codes.length === 0 && its.revokeNone}
            onChange={(event) => {
              revoking.reset()
              setText(event.currentTarget.value)
            }}
          />
          {codes.length > 0 && firstWrong !== undefined && (
            <Text size="sm" role="status">
              {filled(its.revokeWrong, { text: shortened(firstWrong, wrong.length) })}
            </Text>
          )}
          <Button type="submit" variant="default" disabled={codes.length === 0} loading={revoking.isPending}>
            {codes.length === 0 ? its.revoke : action}
          </Button>
          <Text size="sm" role="status">
            {revoking.data && resultOf(revoking.data)}
          </Text>
        </Stack>
      </form>
      <Confirm
        isOpen={isAsked}
        text={its.revokeConfirm}
        action={action}
        isPending={revoking.isPending}
        onConfirm={() => revoking.mutate()}
        onClose={() => setIsAsked(false)}
      />
    </Section>
  )
}

const shortened = (text: string, lines: number): string =>
  text.length > 40 || lines > 1 ? `${text.slice(0, 40)}…` : text

function resultOf({ revoked, unknown }: { readonly revoked: number; readonly unknown: number }): string {
  const its = codesWords()
  const said = filled(its.revokedNow, { count: revoked })
  return unknown === 0 ? said : `${said} ${filled(its.revokedUnknown, { count: unknown })}`
}
