import type { ReactNode } from 'react'

export default function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: 'system-ui', maxWidth: '40rem', margin: '3rem auto' }}>
        {children}
      </body>
    </html>
  )
}
