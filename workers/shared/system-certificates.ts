let systemCertificates: Promise<void> | undefined

/** Companies put their own authority into the system's store; ours is only the bundled one. */
export function useSystemCertificates(): Promise<void> {
  systemCertificates ??= import('node:tls').then((tls) => {
    try {
      const bundled = tls.getCACertificates('default')
      const known = new Set(bundled)
      const added = tls.getCACertificates('system').filter((certificate) => !known.has(certificate))
      if (added.length > 0) tls.setDefaultCACertificates([...bundled, ...added])
    } catch (error) {
      // A store that cannot be read leaves the bundled authorities, which is what there was before.
      process.emitWarning(`the system's certificates could not be read: ${String(error)}`)
    }
  })
  return systemCertificates
}
