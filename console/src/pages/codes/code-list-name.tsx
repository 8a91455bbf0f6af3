import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CodeList } from '../../../../sdk/src/index.ts'
import { fieldErrorsOf, messageOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { codesWords } from '../../words/codes-words.ts'
import { words } from '../../words/words.ts'
import { codeListsKey } from './use-code-lists.ts'

interface NameProps {
  /** Null for a new list. */
  readonly list: CodeList | null
  readonly onClose: () => void
  readonly onSaved: (list: CodeList) => void
}

/** Creates a list, or renames one. */
export function CodeListName({ list, onClose, onSaved }: NameProps) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { common } = words()
  const its = codesWords()
  const [name, setName] = useState(list?.name ?? '')
  const saving = useMutation({
    mutationFn: () =>
      list
        ? tossup.updateCodeList(list.codeListId, { name: name.trim() })
        : tossup.createCodeList({ name: name.trim() }),
    async onSuccess(saved) {
      toast(list ? its.renamed : its.created)
      await client.invalidateQueries({ queryKey: codeListsKey(slug) })
      onClose()
      onSaved(saved)
    },
  })
  const errors = fieldErrorsOf(saving.error)
  return (
    <Modal opened onClose={onClose} title={list ? its.rename : its.new} centered>
      <form
        onSubmit={(event) => {
          // The form that opened this dialog is above it in React, though not in the document.
          event.stopPropagation()
          event.preventDefault()
          saving.mutate()
        }}
      >
        <Stack>
          <TextInput
            label={its.name}
            description={its.nameText}
            required
            maxLength={80}
            dir="auto"
            data-autofocus
            value={name}
            error={errors['name']}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {saving.error && !('name' in errors) && <Alert color="red">{messageOf(saving.error)}</Alert>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" disabled={name.trim() === ''} loading={saving.isPending}>
              {list ? common.save : its.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
