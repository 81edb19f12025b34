package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.host.LoopbackPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Accepts connections, reads what comes and answers nothing; closes each after some bytes, as a
 * server does that refuses them.
 */
final class ByteSink implements AutoCloseable {

  private static final int BACKLOG = 1_000;

  private final Selector selector = Selector.open();
  private final ServerSocketChannel server = ServerSocketChannel.open();
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(64 * 1024);
  private final long most;
  private final Thread thread = new Thread(this::run, "byte-sink");

  /**
   * @param most after how many bytes a connection is closed
   */
  ByteSink(long most) throws IOException {
    this.most = most;
    server.bind(new InetSocketAddress(LoopbackPort.HOST, 0), BACKLOG);
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    thread.start();
  }

  int port() throws IOException {
    return ((InetSocketAddress) server.getLocalAddress()).getPort();
  }

  private void run() {
    try {
      while (selector.isOpen()) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          if (key.isAcceptable()) {
            SocketChannel client = server.accept();
            client.configureBlocking(false);
            client.register(selector, SelectionKey.OP_READ, 0L);
          } else if (hasEnded(key)) {
            key.channel().close();
          }
        }
        selector.selectedKeys().clear();
      }
    } catch (IOException | ClosedSelectorException e) {
      // closed, or out of descriptors: the clients notice
    }
  }

  private boolean hasEnded(SelectionKey key) {
    try {
      int count = ((SocketChannel) key.channel()).read(bytes.clear());
      long read = (long) key.attachment() + count;
      key.attach(read);
      return count < 0 || read > most;
    } catch (IOException gone) {
      return true;
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
    thread.join();
  }
}
