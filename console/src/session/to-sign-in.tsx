import { Navigate } from '@tanstack/react-router'
import { memo } from 'react'

/** Leads there once: a `Navigate` that is drawn again while the router moves would begin again, without end. */
export const ToSignIn = memo(() => <Navigate to="/login" replace />)
