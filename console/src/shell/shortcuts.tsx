import { Kbd, Table } from '@mantine/core'
import styles from '@mantine/core/styles/Table.css' with { type: 'text' }
import { addStyles } from '../parts/polls/sheet.ts'
import { useBrand } from '../session/brand.ts'
import { words } from '../words/words.ts'
import { modKey } from './key-names.ts'

addStyles(styles)

/** Lists the shortcuts that `PaletteKeys` handles. Keep both in step. */
export function Shortcuts() {
  const { mayEdit } = useBrand()
  const { shortcuts } = words()
  const all: readonly (readonly [string, readonly string[]])[] = [
    [shortcuts.find, [modKey(), 'K']],
    ...(mayEdit ? [[shortcuts.newPoll, ['N']] as const] : []),
    [shortcuts.help, ['?']],
  ]
  return (
    <Table>
      <Table.Tbody>
        {all.map(([name, keys]) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td ta="end" dir="ltr">
              {keys.map((key) => (
                <Kbd key={key} ms={4}>
                  {key}
                </Kbd>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
