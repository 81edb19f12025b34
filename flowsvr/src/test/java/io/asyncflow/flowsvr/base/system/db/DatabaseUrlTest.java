package io.asyncflow.flowsvr.base.system.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:mysql://127.0.0.1:3306/asyncflow              | jdbc:mysql://127.0.0.1:3306/asyncflow",
        "jdbc:mysql://h/d?password=S                        | jdbc:mysql://h/d",
        "jdbc:mysql://me:S@h:3306/d?x=y                     | jdbc:mysql://h:3306/d",
        "jdbc:mysql://one:1,two:2/d                         | jdbc:mysql://one:1,two:2/d",
        "jdbc:mysql:loadbalance://me:S@one,me:S@two/d       | jdbc:mysql:loadbalance://one,two/d",
        "jdbc:mysql://(host=h,port=7,user=me,password=S)/d  | jdbc:mysql://h:7/d",
        "jdbc:mysql://address=(host=h)(port=7)(password=S)/d | jdbc:mysql://h:7/d",
        "jdbc:mysql://[::1]:3306/d                          | jdbc:mysql://[::1]:3306/d",
        "jdbc:mysql://h/d#password=S                        | jdbc:mysql://h/d",
        "jdbc:mysql://h                                     | jdbc:mysql://h",
        "jdbc:mysql:///d                                    | jdbc:mysql:///d",
        "jdbc:mysql://me:S@S@h/d                            | a URL that cannot be read",
        "jdbc:mysql://(host=h)(password=S)/d                | a URL that cannot be read",
        "nonsense                                           | a URL that cannot be read",
      })
  void onlyThePlaceIsSaidAloud(String url, String said) {
    assertThat(DatabaseUrl.withoutSecrets(url)).isEqualTo(said);
  }
}
