// features/codes: code lists of a brand. On a poll with a list, each code votes once.
// Codes are stored as keyed hashes. The use of a code and the vote that it admits are two rows under different hashes.

import { z } from 'zod'
import { orNotFound } from '../../base/errors.ts'
import { API_PREFIX, type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { issueCodes, revokeCodes } from './issue-codes.ts'
import { createCodeList, deleteCodeList, renameCodeList } from './lists.ts'
import { codeListsPage, findCodeList } from './queries.ts'
import {
  codeList,
  codeListParams,
  codeListSubject,
  codeListTag,
  createCodeListBody,
  issueCodesBody,
  issuedCodes,
  presentCodeList,
  revokeCodesBody,
  revokedCodes,
  updateCodeListBody,
} from './schema.ts'

export function codeListRoutes(deps: Deps): Route[] {
  const { db } = deps.engine
  const common = { tag: 'Codes', guard: brandScope(deps, 'manage'), caching: 'private' } as const

  return [
    route({
      method: 'GET',
      path: '/brands/me/code-lists',
      name: 'listCodeLists',
      ...common,
      caching: 'revalidated',
      summary: 'Your code lists, newest first',
      description: 'With the numbers of their codes: no route shows which code was used.',
      isPaged: true,
      answers: { 200: { description: 'A page of code lists.', schema: z.array(codeList) } },
      async handle({ identity, paging }) {
        const { rows, next } = await codeListsPage(db, identity.brandKey, paging)
        return { data: rows.map(presentCodeList), next }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/code-lists',
      name: 'createCodeList',
      action: 'code_list.created',
      ...common,
      summary: 'Create a code list',
      description:
        'The list is empty: issue codes, and set its id as `codeListId` of polls. A brand has at most 100 lists.',
      body: createCodeListBody,
      answers: { 201: { description: 'The new list.', headers: { always: ['Location'] }, schema: codeList } },
      etag: codeListTag,
      errors: ['NAME_TAKEN'],
      async handle({ identity: { brandKey }, body: { name } }, tx) {
        const row = await createCodeList(deps, tx, { brandKey, name })
        return {
          status: 201,
          data: presentCodeList(row),
          location: `${API_PREFIX}/brands/me/code-lists/${row.id}`,
          subject: codeListSubject(row),
        }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/code-lists/{codeListId}',
      name: 'getCodeList',
      ...common,
      caching: 'revalidated',
      summary: 'One of your code lists',
      description: 'Use the ETag as `If-Match`.',
      params: codeListParams,
      answers: { 200: { description: 'The list.', schema: codeList } },
      etag: codeListTag,
      errors: ['NOT_FOUND'],
      async handle({ identity, params }) {
        const row = orNotFound(await findCodeList(db, identity.brandKey, params.codeListId))
        return { data: presentCodeList(row) }
      },
    }),

    writeOnce({
      method: 'PATCH',
      path: '/brands/me/code-lists/{codeListId}',
      name: 'updateCodeList',
      action: 'code_list.updated',
      ...common,
      summary: 'Rename a code list',
      description: 'Codes and polls stay as they are.',
      params: codeListParams,
      body: updateCodeListBody,
      answers: { 200: { description: 'The list after the change.', schema: codeList } },
      etag: codeListTag,
      errors: ['NOT_FOUND', 'NAME_TAKEN'],
      async handle({ identity: { brandKey }, params, body: { name }, ifMatch }, tx) {
        const wanted = { brandKey, id: params.codeListId, name, ifMatch }
        const { row, isChanged } = await renameCodeList(deps, tx, wanted)
        return { data: presentCodeList(row), subject: isChanged ? codeListSubject(row) : null }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/code-lists/{codeListId}',
      name: 'deleteCodeList',
      action: 'code_list.deleted',
      ...common,
      summary: 'Delete a code list and its codes',
      description: 'Refused while a poll names the list. This cannot be undone.',
      params: codeListParams,
      answers: { 204: { description: 'Deleted.' } },
      etag: codeListTag,
      errors: ['NOT_FOUND', 'CODE_LIST_IN_USE'],
      async handle({ identity: { brandKey }, params, ifMatch }, tx) {
        const row = await deleteCodeList(deps, tx, { brandKey, id: params.codeListId, ifMatch })
        return { status: 204, subject: codeListSubject(row) }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/code-lists/{codeListId}/codes',
      name: 'issueCodes',
      action: 'codes.issued',
      ...common,
      summary: 'Issue codes',
      description:
        'Only this answer shows the codes: store or print them. They are stored as keyed hashes, and can be neither read again nor told apart. A list has at most 200,000 codes.',
      params: codeListParams,
      body: issueCodesBody,
      hasSecret: true,
      answers: { 201: { description: 'The new codes, in no order that is stored.', schema: issuedCodes } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, body: { count } }, tx) {
        const { list, codes } = await issueCodes(deps, tx, { brandKey, id: params.codeListId, count })
        return { status: 201, data: { codes, issued: list.issued }, subject: codeListSubject(list) }
      },
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/code-lists/{codeListId}/codes/revoke',
      name: 'revokeCodes',
      action: 'codes.revoked',
      ...common,
      summary: 'Revoke codes',
      description:
        'Votes that arrive after this answer are refused. Votes that were cast with the codes stay: which ones they are is not stored.',
      params: codeListParams,
      body: revokeCodesBody,
      answers: { 200: { description: 'How many codes were revoked.', schema: revokedCodes } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, body: { codes } }, tx) {
        const { list, ...changed } = await revokeCodes(deps, tx, { brandKey, id: params.codeListId, codes })
        return { data: changed, subject: changed.revoked > 0 ? codeListSubject(list) : null }
      },
    }),
  ]
}
