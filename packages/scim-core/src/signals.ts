export {
  createSignalReceiver,
  type SecuritySignal,
  type SignalReceiver,
  type SignalReceiverOptions,
  type SignalSubject,
  type SignalTransmitter,
} from './signals/signal-receiver.ts'
