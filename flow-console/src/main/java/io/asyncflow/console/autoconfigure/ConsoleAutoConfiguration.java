package io.asyncflow.console.autoconfigure;

import io.asyncflow.console.IssuerLogIn;
import io.asyncflow.console.LogIn;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.console.asset.AssetController;
import io.asyncflow.console.asset.Assets;
import io.asyncflow.console.frame.ConsoleProperties;
import io.asyncflow.console.frame.ErrorPages;
import io.asyncflow.console.frame.Frames;
import io.asyncflow.console.frame.PageGuard;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.page.account.AccountController;
import io.asyncflow.console.page.account.IssuerLogInController;
import io.asyncflow.console.page.account.LogInController;
import io.asyncflow.console.page.bulk.BulkController;
import io.asyncflow.console.page.cluster.ClusterController;
import io.asyncflow.console.page.failure.FailureController;
import io.asyncflow.console.page.find.CookieController;
import io.asyncflow.console.page.find.SelectedController;
import io.asyncflow.console.page.find.TasksController;
import io.asyncflow.console.page.job.JobController;
import io.asyncflow.console.page.kitchen.KitchenController;
import io.asyncflow.console.page.overview.OverviewController;
import io.asyncflow.console.page.schedule.ScheduleController;
import io.asyncflow.console.page.task.FileController;
import io.asyncflow.console.page.task.TaskController;
import io.asyncflow.console.page.type.TypeController;
import io.asyncflow.console.page.worker.WorkerController;
import java.time.InstantSource;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The pages, in an application that can make the calls of the API. */
@AutoConfiguration
@ConditionalOnBean(OperatorClient.class)
@ConditionalOnProperty(name = "asyncflow.console.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ConsoleProperties.class)
@Import({
  AccountController.class,
  AssetController.class,
  Assets.class,
  BulkController.class,
  ClusterController.class,
  CookieController.class,
  ErrorPages.class,
  FailureController.class,
  FileController.class,
  Frames.class,
  JobController.class,
  Pages.class,
  ScheduleController.class,
  SelectedController.class,
  TaskController.class,
  TasksController.class,
  TypeController.class,
  WorkerController.class
})
public class ConsoleAutoConfiguration {

  @Bean
  OverviewController consoleOverview() {
    return new OverviewController(InstantSource.system());
  }

  /** All parts of pages on one, for those who work on them. */
  @Bean
  @ConditionalOnProperty(name = "asyncflow.console.kitchen")
  KitchenController consoleKitchen() {
    return new KitchenController();
  }

  @Bean
  @ConditionalOnBean(LogIn.class)
  LogInController consoleLogIn(
      Pages pages, Frames frames, LogIn logIn, ObjectProvider<IssuerLogIn> issuer) {
    return new LogInController(pages, frames, logIn, issuer.getIfAvailable() != null);
  }

  @Bean
  @ConditionalOnBean(IssuerLogIn.class)
  IssuerLogInController consoleIssuerLogIn(Frames frames, IssuerLogIn issuer) {
    return new IssuerLogInController(frames, issuer);
  }

  @Bean
  WebMvcConfigurer consoleFrame(Frames frames, ConsoleProperties properties) {
    return new WebMvcConfigurer() {
      @Override
      public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(frames);
      }

      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry
            .addInterceptor(new PageGuard(frames))
            .addPathPatterns(properties.path() + "/**", properties.path())
            .excludePathPatterns(properties.path() + "/static/**");
      }
    };
  }
}
