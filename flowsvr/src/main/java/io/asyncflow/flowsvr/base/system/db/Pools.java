package io.asyncflow.flowsvr.base.system.db;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Where stores and transactions get their connections: from the pool of the work, or, in a thread
 * that reads for a person, from {@link ReadDatabase}.
 */
@Configuration(proxyBeanMethods = false)
class Pools {

  @Bean
  @ConfigurationProperties("spring.datasource.hikari")
  HikariDataSource pool(DataSourceProperties settings) {
    HikariDataSource pool =
        settings.initializeDataSourceBuilder().type(HikariDataSource.class).build();
    pool.setDataSource(new WriterDataSource(pool));
    return pool;
  }

  @Bean
  @Primary
  DataSource database(HikariDataSource pool, ReadDatabase reads) {
    return new AbstractDataSource() {
      @Override
      public Connection getConnection() throws SQLException {
        Connection ofReads = reads.connectionOfThisThread();
        return ofReads == null ? pool.getConnection() : ofReads;
      }

      @Override
      public Connection getConnection(String user, String password) throws SQLException {
        return pool.getConnection(user, password);
      }
    };
  }
}
