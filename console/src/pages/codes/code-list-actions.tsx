import { Button, Group, Menu, Modal, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CodeList } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { useRemoval } from '../../parts/use-removal.ts'
import { useBrand } from '../../session/brand.ts'
import { codesWords } from '../../words/codes-words.ts'
import { words } from '../../words/words.ts'
import { CodeListName } from './code-list-name.tsx'
import { codeListsKey } from './use-code-lists.ts'

export function CodeListActions({ list }: { readonly list: CodeList }) {
  const { slug, tossup } = useBrand()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'rename' | 'delete' | null>(null)
  const { common } = words()
  const its = codesWords()
  const close = () => setAsked(null)
  const remove = useRemoval({
    remove: () => tossup.deleteCodeList(list.codeListId),
    leave: () => navigate({ to: '/$brand/codes', params: { brand: slug } }),
    queryKey: codeListsKey(slug),
    said: its.deleted,
  })
  return (
    <>
      <MoreMenu>
        <Menu.Item onClick={() => setAsked('rename')}>{its.rename}</Menu.Item>
        <Menu.Item color="red" onClick={() => setAsked('delete')}>
          {its.delete}
        </Menu.Item>
      </MoreMenu>
      {asked === 'rename' && <CodeListName list={list} onClose={close} onSaved={close} />}
      <Modal opened={asked === 'delete' && list.polls > 0} onClose={close} title={its.inUse} centered>
        <Text size="sm">{its.inUseText}</Text>
        <Group justify="flex-end" mt="md">
          <Button onClick={close}>{common.close}</Button>
        </Group>
      </Modal>
      <Confirm
        isOpen={asked === 'delete' && list.polls === 0}
        text={its.deleteText}
        typed={list.name}
        action={its.delete}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
    </>
  )
}
